package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of conf/text.yaml, with fewer documents. */
class TextModelITCase {
    @TempDir
    static Path folder;

    private static JsonNode train(String... settings) throws IOException {
        Path pipeline = SmallText.pipeline(folder, "runs", "");
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--json"));
        Arrays.stream(settings).forEach(setting -> arguments.addAll(List.of("--set", setting)));
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    @Test
    void modelLearnsMoreThanTheFrequenciesOfTokens() throws IOException {
        JsonNode summary = train("parallelism=2");
        double frequencies = entropy(Files.readAllBytes(SmallText.documents(folder)));
        assertThat(summary.required("final_loss").asDouble()).isLessThan(0.8 * frequencies);
        assertThat(summary.required("final_accuracy").asDouble()).isGreaterThan(0.4);
        assertThat(summary.required("quarantined").asLong()).isZero();
    }

    /** Returns the entropy of a byte by itself, in nats: the loss of a model that knows only how frequent each token is. */
    private static double entropy(byte[] text) {
        int[] counts = new int[256];
        for (byte value : text) {
            counts[value & 0xff]++;
        }
        return -Arrays.stream(counts)
                .filter(count -> count > 0)
                .mapToDouble(count -> (double) count / text.length)
                .map(share -> share * Math.log(share))
                .sum();
    }

    @ParameterizedTest
    @ValueSource(strings = {"parallelism=1", "parallelism=4", "parallelism=2;stages=separate"})
    void anyParallelismTrainsTheSameParameters(String settings) throws IOException {
        JsonNode expected = train("parallelism=2");
        JsonNode found = train(settings.split(";"));
        for (String result : List.of("parameters_sha256", "final_loss", "final_accuracy", "steps", "samples")) {
            assertThat(found.required(result)).as(result).isEqualTo(expected.required(result));
        }
        assertThat(train("train.seed=7").required("parameters_sha256"))
                .isNotEqualTo(expected.required("parameters_sha256"));
    }

    @Test
    void previewShowsTheTextsOfSequences() throws IOException {
        CommandRun run =
                CommandRun.of("preview", SmallText.pipeline(folder, "runs", "").toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out() + run.err())
                .containsPattern("read +\\d+ documents, of which the first:")
                .containsPattern("read +text: text \\[\\d+] \"")
                .containsPattern("pack_sequences +tokens: int32 \\[1024] ")
                .containsPattern("pack_sequences +lengths: int32 \\[\\d+] ");
    }
}
