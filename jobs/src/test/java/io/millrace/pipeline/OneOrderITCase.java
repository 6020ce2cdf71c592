package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs at any parallelism train on the same samples in the same batches with the same augmentation. The tests compare
 * the parameters.
 */
class OneOrderITCase {
    /** The results that a repeated run must reproduce bit for bit. */
    private record Learned(
            String parametersSha256,
            double finalLoss,
            double finalAccuracy,
            long steps,
            long samples,
            long quarantined,
            long quarantinedRows) {
        static Learned by(Path pipeline, String... settings) {
            List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--json"));
            Arrays.stream(settings).forEach(setting -> arguments.addAll(List.of("--set", setting)));
            CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
            assertThat(run.exitCode()).as(run.err()).isZero();
            JsonNode summary = run.json();
            return new Learned(
                    summary.required("parameters_sha256").asText(),
                    summary.required("final_loss").asDouble(),
                    summary.required("final_accuracy").asDouble(),
                    summary.required("steps").asLong(),
                    summary.required("samples").asLong(),
                    summary.required("quarantined").asLong(),
                    summary.required("quarantined_rows").asLong());
        }
    }

    @TempDir
    static Path folder;

    private static Path digits;
    private static Path photos;
    private static Learned fromDigits;
    private static Learned fromPhotos;

    @BeforeAll
    static void trainOnOneSlot() throws IOException {
        Path digitsData = SmallData.digits(folder.resolve("digits"));
        digits = SmallData.digitsPipeline(folder.resolve("digits.yaml"), digitsData, folder.resolve("runs"));
        Path photosData = SmallData.photos(folder.resolve("photos"), 40, 6, 1);
        SmallData.photos(folder.resolve("photos-test"), 12, 0, 2);
        photos = SmallData.photosPipeline(folder.resolve("photos.yaml"), photosData, folder.resolve("runs"));
        fromDigits = learnDigits("parallelism=1");
        fromPhotos = learnPhotos("parallelism=1");
    }

    private static Learned learnDigits(String... settings) {
        return Learned.by(
                digits, with(settings, "evaluate.dataset={format: idx, path: " + folder + "/digits, split: test}"));
    }

    private static Learned learnPhotos(String... settings) {
        return Learned.by(
                photos,
                with(
                        settings,
                        "evaluate={dataset: {format: folder, path: " + folder
                                + "/photos-test}, transforms: [decode, Resize: {size: [24, 24]}]}"));
    }

    private static String[] with(String[] settings, String another) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add(another);
        return all.toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "parallelism=1", // the same settings again, to compare two runs
                "parallelism=2",
                "parallelism=4",
                "parallelism=2;stages=separate",
                "parallelism=1;stages={RandomMask: 3}"
            })
    void digitsTrainTheSameParameters(String settings) {
        assertThat(learnDigits(settings.split(";"))).isEqualTo(fromDigits);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "parallelism=1",
                "parallelism=2",
                "parallelism=4",
                "parallelism=2;stages=separate",
                "parallelism=2;stages={RandomResizedCrop: 3, pack: 1}"
            })
    void photosWithRandomTransformsAndBadFilesTrainTheSameParameters(String settings) {
        assertThat(learnPhotos(settings.split(";"))).isEqualTo(fromPhotos);
    }

    @Test
    void blocksTrainTheSameParametersAtAnyParallelism() {
        String blocks = "order.shuffle={blocks: {size: 33, open: 3}}";
        Learned one = learnDigits(blocks, "parallelism=1");

        assertThat(learnDigits(blocks, "parallelism=3", "stages=separate", "read.range=7"))
                .isEqualTo(one);
        assertThat(one.samples).isEqualTo(2 * 500);
        assertThat(one.parametersSha256).isNotEqualTo(fromDigits.parametersSha256);
    }

    @Test
    void allSamplesAndStepsAreCounted() {
        assertThat(fromDigits.steps).isEqualTo(2 * 16);
        assertThat(fromDigits.samples).isEqualTo(2 * 500);
        assertThat(fromDigits.quarantined).isZero();
        assertThat(fromPhotos.steps).isEqualTo(2 * 6);
        assertThat(fromPhotos.samples).isEqualTo(2 * 40);
        assertThat(fromPhotos.quarantined).isEqualTo(6);
        assertThat(fromPhotos.quarantinedRows).isEqualTo(2 * 6);
    }

    @Test
    void anotherSeedTrainsOtherParameters() {
        // The initial parameters still use the default seed; only order and augmentation differ.
        String parameters = "train.seed=42";
        assertThat(learnDigits("order.seed=7", parameters).parametersSha256).isNotEqualTo(fromDigits.parametersSha256);
        assertThat(learnPhotos("order.seed=7", parameters).parametersSha256).isNotEqualTo(fromPhotos.parametersSha256);
        assertThat(learnDigits(parameters)).isEqualTo(fromDigits);
    }
}
