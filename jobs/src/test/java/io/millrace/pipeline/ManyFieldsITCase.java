package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images, masks, text, lists of classes and vectors on the whole way from an Arrow file to a trained model. */
class ManyFieldsITCase {
    /** The results of gpu-sink/src/test/python/field_vectors.py. */
    private static final Path MODELS =
            Path.of("../gpu-sink/src/test/resources/io/millrace/train").toAbsolutePath();

    @TempDir
    static Path folder;

    private static Path pipeline;

    @BeforeAll
    static void write() throws IOException {
        ManyFields.write(folder.resolve("train.arrow"), 200, 17, 1);
        ManyFields.write(folder.resolve("test.arrow"), 40, -1, 2);
        String dataset = """
                format: arrow, path: %s, fields: {image: {from: photo, as: image}, mask: {from: colors, as: mask}, \
                text: caption, classes: {from: tags, as: ragged}, place: place}""";
        String transforms = "[decode, RandomCrop: {size: 16}, RandomHorizontalFlip]";
        pipeline = Files.writeString(folder.resolve("fields.yaml"), """
                name: fields
                dataset: {%s, epochs: 10}
                transforms: %s
                parallelism: 2
                batch: {size: 16, max_quarantined: 1%%}
                device: {transforms: [ToFloat]}
                train: {model: none, optimizer: {adam: {learning_rate: 0.02}}, threads: 1}
                evaluate: {dataset: {%s}, transforms: %s, every: 10}
                run: {folder: %s, web_port: 0}
                """.formatted(
                        dataset.formatted(folder.resolve("train.arrow")),
                        transforms,
                        dataset.formatted(folder.resolve("test.arrow")),
                        transforms,
                        folder.resolve("runs")));
    }

    @AfterEach
    void allMemoryIsReleased() {
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @Test
    void modelLearnsAClassForEachPixel() {
        JsonNode summary =
                train("train.model={torchscript: {path: " + MODELS + "/segment.pt, classes: 4}}", "train.target=mask");

        assertThat(summary.path("final_accuracy").asDouble()).isGreaterThan(0.95);
        assertThat(summary.path("quarantined").asLong()).isEqualTo(1);
        assertThat(summary.path("bytes_per_sample").asLong()).isEqualTo(16 * 16 * (3 + 1) + 24);
    }

    @Test
    void modelLearnsSeveralLabelsFromTextAndAnImage() {
        JsonNode summary = train(
                "train.model={torchscript: {path: " + MODELS + "/reader.pt, classes: 4}}",
                "train.input=[image, place, text]",
                "train.target=classes",
                "train.loss=binary_cross_entropy",
                "device.transforms=[ToFloat, MultiHot: {classes: 4}]");

        // Without the text half are right. Three values for each letter cannot distinguish all sets of four.
        assertThat(summary.path("final_accuracy").asDouble()).isGreaterThan(0.85);
        // On average two letters and two class numbers of one byte each, and their ends.
        double expected = 16 * 16 * 3 + 8 + (4 + 2) + (4 + 2) + 24;
        assertThat(summary.path("bytes_per_sample").asDouble()).isCloseTo(expected, within(6.0));
    }

    @Test
    void onlyNamedFieldsCrossTheNetworkInTheRequestedForm() {
        JsonNode summary =
                train("batch.fields={image: auto, text: ragged, place: dense}", "dataset.epochs=1", "evaluate=null");

        double expected = 16 * 16 * 3 + (4 + 2) + 8 + 24;
        assertThat(summary.path("bytes_per_sample").asDouble()).isCloseTo(expected, within(2.0));
    }

    @Test
    void missingFieldsAreReportedBeforeAnythingStarts() {
        assertThat(refused("train.target=depth"))
                .contains("train.target names 'depth'", "[image, mask, text, classes, place]");
        assertThat(refused("train.target=mask", "batch.fields=[image, text]"))
                .contains("train.target is 'mask', which batch.fields does not send", "[image, text]");
        assertThat(refused("batch.fields={image: auto, place: bits}"))
                .contains("column 'place' of FLOAT32 cannot be sent as bits");
        assertThat(refused("batch.fields={image: packed}"))
                .contains("expected auto, dense, bits, ragged or sparse, found 'packed'");
    }

    @Test
    void masksWithMoreThanTwoValuesAreRefusedAsBits() {
        CommandRun run = run("batch.fields={image: auto, mask: bits}");

        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err())
                .contains("more than batch.max_quarantined")
                .containsPattern(
                        "'mask' has the wire form bits: expected 0 and 1, or 0 and 255, found [23] at element [0-9]+");
    }

    @Test
    void previewWritesAndInspectListsEveryField() throws IOException {
        Path npy = folder.resolve("npy");
        CommandRun preview = CommandRun.of(
                "preview",
                pipeline.toString(),
                "--count",
                "1",
                "--npy",
                npy.toString(),
                "--out",
                folder.resolve("sheet.png").toString());
        assertThat(preview.exitCode()).as(preview.err()).isZero();
        try (Stream<Path> files = Files.list(npy)) {
            assertThat(files.map(file -> file.getFileName().toString().replaceFirst("^0+[0-9]*-", "")))
                    .containsExactlyInAnyOrder(
                            "image.npy",
                            "image-device.npy",
                            "mask.npy",
                            "text.npy",
                            "classes.npy",
                            "place.npy",
                            "index.json");
        }

        CommandRun inspect = CommandRun.of("inspect", pipeline.toString());
        assertThat(inspect.exitCode()).as(inspect.err()).isZero();
        assertThat(inspect.out())
                .contains("image uint8 [16, 16, 3], mask uint8 [16, 16, 1], text text [?], classes int64 [?], place"
                        + " float32 [2]");
    }

    private static JsonNode train(String... settings) {
        CommandRun run = run(settings);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    private static String refused(String... settings) {
        CommandRun run = run(settings);
        assertThat(run.exitCode()).isNotZero();
        return run.err();
    }

    private static CommandRun run(String... settings) {
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--json"));
        Arrays.stream(settings).forEach(setting -> arguments.addAll(List.of("--set", setting)));
        return CommandRun.of(arguments.toArray(String[]::new));
    }
}
