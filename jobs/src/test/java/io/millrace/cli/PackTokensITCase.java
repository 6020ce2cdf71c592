package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.RunPlanner;
import io.millrace.preview.PreviewRun;
import io.millrace.run.ExitCode;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command {@code pack --tokens} on texts with parts that a loss counts. */
class PackTokensITCase {
    private static final Path TOKENIZER = Path.of("../operators/src/test/resources/vectors/text/byte_level_gpt2.json")
            .toAbsolutePath();

    private static final int DOCUMENTS = 200;

    @TempDir
    Path folder;

    private Path texts;

    @BeforeEach
    void writeTexts() throws IOException {
        Random random = new Random(3);
        List<String> lines = new ArrayList<>();
        for (int document = 0; document < DOCUMENTS; document++) {
            String text = document + " größer ".repeat(1 + random.nextInt(60));
            lines.add("{\"text\": \"%s\", \"spans\": [[0, %d], [%d, %d]]}"
                    .formatted(text, text.indexOf(' '), text.indexOf(' ') + 1, bytes(text) - bytes("ößer ")));
        }
        texts = Files.write(folder.resolve("texts.jsonl"), lines);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private Path pipeline(String name, String dataset, String transforms) throws IOException {
        return Files.writeString(folder.resolve(name), """
                dataset: { %s }
                order: { seed: 4 }
                transforms: [ %s ]
                train: { model: none, input: [tokens, lengths, label_mask] }
                """.formatted(dataset, transforms));
    }

    private Path ofTexts(String transforms) throws IOException {
        return pipeline(
                "texts.yaml",
                "format: jsonl, path: " + texts + ", fields: { text: text, loss_spans: spans }",
                "Cast: { field: loss_spans, dtype: int32 }, tokenize: { tokenizer: " + TOKENIZER + " }" + transforms);
    }

    /** Returns the fields of all sequences of an epoch. */
    private static List<String> sequences(Path pipeline) throws Exception {
        PipelineConfig config = ConfigReader.read(pipeline, List.of());
        List<String> sequences = new ArrayList<>();
        try (PreviewRun run = PreviewRun.open(config, RunPlanner.plan(config), Split.TRAIN, 0)) {
            for (long i = 0; i < run.samples(); i++) {
                Sample sample = run.view(i).sample();
                TreeMap<String, String> fields = new TreeMap<>();
                for (String name : sample.fieldNames()) {
                    Field field = sample.field(name);
                    fields.put(name, field + Arrays.toString(field.data()));
                }
                sequences.add(fields.toString());
            }
        }
        return sequences;
    }

    @ParameterizedTest
    @ValueSource(strings = {"arrow", "tfrecord", "tar"})
    void sequencesOfPackedTokensAreThoseOfTheTexts(String format) throws Exception {
        Path original = ofTexts(", pack_sequences: { length: 128 }");
        Path out = folder.resolve("tokens");

        CommandRun packed = CommandRun.of(
                "pack", original.toString(), out.toString(), "--tokens", "--format", format, "--shard-size", "20kB");

        assertThat(packed.exitCode()).as(packed.err()).isZero();
        try (Stream<Path> shards = Files.list(out)) {
            assertThat(shards).hasSizeGreaterThan(2);
        }
        String extension = format.equals("tar") ? ".npy" : "";
        Path tokens = pipeline(
                "tokens.yaml",
                "format: " + format + ", path: " + out + ", fields: { tokens: tokens" + extension
                        + ", label_mask: label_mask" + extension + " }",
                "pack_sequences: { length: 128 }");
        assertThat(sequences(tokens)).isEqualTo(sequences(original)).allMatch(fields -> fields.contains("label_mask="));
    }

    @Test
    void wrongArgumentsAreReportedInASentence() throws IOException {
        String out = folder.resolve("out").toString();
        CommandRun.of("pack", texts.toString(), out, "--tokens")
                .fails(
                        ExitCode.USAGE,
                        "--tokens",
                        "a pipeline file with tokenize and pack_sequences",
                        texts.toString());
        CommandRun.of("pack", ofTexts("").toString(), out, "--tokens")
                .fails(ExitCode.USAGE, "--tokens", "with the transforms [Cast, tokenize]");
        CommandRun.of("pack", ofTexts(", pack_sequences: { length: 128 }").toString(), out, "--tokens", "--resize", "8")
                .fails(ExitCode.USAGE, "--tokens", "found --resize");
        assertThat(Path.of(out)).doesNotExist();
    }
}
