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
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that choose their slots themselves. They train the same parameters as all other runs. */
@Tag("measurements")
class AutoSlotsITCase {
    private static final String AUTO = "parallelism={auto: {most: 5, calibrate: 2s}}";

    @TempDir
    static Path folder;

    private static Path pipeline = Path.of("");
    private static Path runs = Path.of("");
    private static String expected = "";

    /** Trains with a stage that waits 4 ms per sample, so that one slot of it is slower than any trainer of digits. */
    @BeforeAll
    static void trainOnOneSlot() throws IOException {
        runs = folder.resolve("runs");
        pipeline = Files.writeString(
                folder.resolve("waiting.yaml"), """
                dataset: { format: idx, path: %s, epochs: 2 }
                transforms:
                  - RandomMask: { ratio: 0.05 }
                  - Delay: { ms: 4, mode: sleep }
                parallelism: 1
                batch: { size: 32 }
                device: { transforms: [ ToFloat ] }
                train: { model: { mlp: { hidden: [16] } }, threads: 1 }
                run: { folder: %s, web_port: 0 }
                """.formatted(SmallData.digits(folder.resolve("digits")), runs));
        expected = sha(trained().json());
    }

    private static CommandRun trained(String... settings) {
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--json"));
        for (String setting : settings) {
            arguments.addAll(setting.startsWith("--") ? List.of(setting) : List.of("--set", setting));
        }
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    private static String sha(JsonNode summary) {
        assertThat(summary.required("status").asText()).isEqualTo("finished");
        return summary.required("parameters_sha256").asText();
    }

    private static int parallelism(JsonNode summary, String stage) {
        for (JsonNode entry : summary.required("stages")) {
            if (entry.required("name").asText().equals(stage)) {
                return entry.required("parallelism").asInt();
            }
        }
        throw new AssertionError("no stage " + stage + " in " + summary);
    }

    private static void requireNothingLeftBehind() throws IOException {
        try (Stream<Path> entries = Files.list(runs)) {
            assertThat(entries.map(entry -> entry.getFileName().toString())).noneMatch(name -> name.contains("calib"));
        }
    }

    @Test
    void slotsAreChosenByMeasurementWithinTheLimitAndTrainTheSame() throws Exception {
        CommandRun run = trained(AUTO);

        JsonNode summary = run.json();
        assertThat(sha(summary)).isEqualTo(expected);
        assertThat(summary.required("parallelism").asInt()).as(run.err()).isEqualTo(5);
        assertThat(parallelism(summary, "Delay")).isEqualTo(5);
        assertThat(run.err())
                .containsPattern("auto    parallelism 5 \\(1 slot delivers [0-9.]+ images/s, .*; no more than 5:"
                        + " parallelism.auto.most; measured in [0-9.]+ s\\)");
        assertThat(summary.required("samples").asInt()).isEqualTo(1000); // the samples of the measurement do not count
        requireNothingLeftBehind();
    }

    @Test
    void waitingStageGetsItsOwnSlots() throws Exception {
        CommandRun run = trained("parallelism={auto: {most: 30, calibrate: 2s}}", "stages=auto");

        JsonNode summary = run.json();
        assertThat(sha(summary)).isEqualTo(expected);
        assertThat(parallelism(summary, "Delay")).as(run.err()).isGreaterThan(1);
        assertThat(parallelism(summary, "RandomMask")).as(run.err()).isLessThan(parallelism(summary, "Delay"));
        assertThat(run.err()).containsPattern("auto    parallelism [0-9]+, Delay [0-9]+ \\(1 slot delivers");
    }

    @Test
    void resumedRunChoosesAgain() throws Exception {
        trained("dataset.epochs=1");

        CommandRun resumed = trained(AUTO, "--resume");

        assertThat(resumed.err()).contains("resumes ", "auto    parallelism 5 ");
        assertThat(sha(resumed.json())).isEqualTo(expected);
    }

    @Test
    void runWhoseMeasurementFailsBeginsAndFailsWithItsOwnReason() throws Exception {
        Path photos = SmallData.photosPipeline(
                folder.resolve("photos.yaml"), SmallData.photos(folder.resolve("photos"), 40, 6, 1), runs);

        CommandRun run = CommandRun.of(
                "train",
                photos.toString(),
                "--json",
                "--set",
                "parallelism={auto: {calibrate: 10s}}",
                "--set",
                "batch.max_quarantined=7%");

        run.fails(ExitCode.FAILED, "4 of 46 samples are bad");
        assertThat(run.err())
                .contains("auto    parallelism " + Runtime.getRuntime().availableProcessors()
                        + ", one slot for each CPU core here (not measured: 4 of 46 samples are bad");
        requireNothingLeftBehind();
    }
}
