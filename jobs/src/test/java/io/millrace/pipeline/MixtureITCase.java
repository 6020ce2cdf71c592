package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import io.millrace.run.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs on a mixture of datasets train on the same samples in the same batches at any parallelism, and after a resume with other shares
 * from then on.
 */
class MixtureITCase {
    @TempDir
    static Path folder;

    private static Path pipeline;
    private static JsonNode whole;

    @BeforeAll
    static void trainOnOneSlot() throws IOException {
        SmallData.photos(folder.resolve("web"), 30, 4, 1);
        SmallData.photos(folder.resolve("code"), 10, 1, 2);
        pipeline = Files.writeString(folder.resolve("mix.yaml"), """
                datasets:
                  web:  { format: folder, path: %1$s/web }
                  code: { format: folder, path: %1$s/code, transforms: [ decode, RandomGrayscale ], max_repeats: 4 }
                mix:
                  - { steps: 12, weights: { web: 3, code: 1 } }
                  - { steps: 6, weights: { web: 1, code: 2 }, ramp: 3 }
                mix_epoch: 6
                transforms:
                  - decode
                  - RandomResizedCrop: { size: [24, 24] }
                  - RandomHorizontalFlip
                batch: { size: 8, max_quarantined: 1.0 }
                ledger: true
                device: { transforms: [ ToFloat ] }
                train: { model: { convnet: { channels: [4, 8] } } }
                run: { folder: %1$s/runs, web_port: 0 }
                """.formatted(folder));
        whole = trained("parallelism=1", in("whole"));
    }

    private static CommandRun train(String... settings) {
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--json"));
        for (String setting : settings) {
            arguments.addAll(setting.startsWith("--") ? List.of(setting) : List.of("--set", setting));
        }
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    private static JsonNode trained(String... settings) {
        CommandRun run = train(settings);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    /** Returns the ledger of the latest run that writes below a folder. */
    private static List<String> ledger(String name) throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve(name).resolve("latest/ledger.csv"));
        return lines.subList(1, lines.size());
    }

    private static String in(String name) {
        return "run.folder=" + folder.resolve(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"parallelism=1", "parallelism=3", "parallelism=2;stages=separate"})
    void theSameSamplesAreTrainedOnAtAnyParallelism(String settings) throws IOException {
        JsonNode other = trained((settings + ";" + in("other")).split(";"));

        assertThat(other.required("parameters_sha256")).isEqualTo(whole.required("parameters_sha256"));
        assertThat(ledger("other")).isEqualTo(ledger("whole"));
    }

    @Test
    void eachDatasetHasItsShareAndEachOfItsSamplesComesInEachRound() throws IOException {
        List<Long> indexes = ledger("whole").stream()
                .flatMap(line -> Stream.of(line.split(",", -1)[2], line.split(",", -1)[3]))
                .flatMap(list -> Arrays.stream(list.split(" ", -1)))
                .filter(text -> !text.isEmpty())
                .map(Long::valueOf)
                .toList();
        assertThat(whole.required("steps").asLong()).isEqualTo(18);
        assertThat(indexes).hasSize(18 * 8);
        List<Long> code = indexes.stream().filter(index -> index >= 34).toList();
        assertThat(code.size()).isBetween(24 + 29 - 2, 24 + 29 + 2); // 12 steps of 1/4, and 6 of up to 2/3
        assertThat(code.subList(0, 11)).doesNotHaveDuplicates();
        assertThat(code.subList(11, 22)).doesNotHaveDuplicates();
    }

    @Test
    void theFutureOfAResumedRunMayChangeAndItsPastMayNot() throws IOException {
        String ended = "mix=[{steps: 6, weights: {web: 3, code: 1}}]";
        trained(ended, in("resumed"));
        assertThat(ledger("resumed")).isEqualTo(ledger("whole").subList(0, 6));

        refused(
                "  mix: the checkpoint has 6: web=3 code=1, this run 6: web=3 code=2; 6: web=1, which differs from step 0 on. Steps"
                        + " before 6 have been read, and cannot be changed",
                "mix=[{steps: 6, weights: {web: 3, code: 2}}, {steps: 6, weights: {web: 1}}]");
        refused("add steps to the last phase of mix, or another phase", ended);
        refused(
                "  order.skip_steps: the checkpoint has nothing, this run 4-5, which differs from step 4 on",
                ended,
                "order.skip_steps=['4-5']");

        JsonNode last = trained(in("resumed"), "--resume"); // with the phases of the file
        assertThat(last.required("parameters_sha256")).isEqualTo(whole.required("parameters_sha256"));
        assertThat(ledger("resumed")).isEqualTo(ledger("whole"));
    }

    private static void refused(String sentence, String... settings) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.addAll(List.of(in("resumed"), "--resume"));
        CommandRun run = train(all.toArray(String[]::new));
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(sentence);
    }

    @Test
    void aResumedRunLeavesOutFurtherSteps() throws IOException {
        trained("mix=[{steps: 6, weights: {web: 3, code: 1}}]", in("skipping"));
        trained(
                "mix=[{steps: 12, weights: {web: 3, code: 1}}]",
                "order.skip_steps=['7-9']",
                in("skipping"),
                "--resume");
        trained("mix=[{steps: 18, weights: {web: 3, code: 1}}]", in("plan"));

        List<String> expected = new ArrayList<>(samples("plan").subList(0, 15));
        expected.subList(7, 10).clear();
        assertThat(samples("skipping")).isEqualTo(expected);
    }

    /** Returns the samples of each step, in the order of their indexes. */
    private static List<String> samples(String name) throws IOException {
        return ledger(name).stream().map(line -> line.split(",", 3)[2]).toList();
    }

    @Test
    void datasetsWithOtherColumnsAreRefusedWithTheDifference() {
        train(
                        "datasets.code.transforms=[decode, {Resize: {size: [8, 8]}}]",
                        "datasets.web.transforms=[decode]",
                        "transforms=[]")
                .fails(ExitCode.USAGE, "the datasets of a mixture must have the same columns after their transforms");
    }
}
