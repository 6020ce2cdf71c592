package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacedTransforms.PlaceDecision;
import io.millrace.pipeline.TransformPlacement.Trainer;
import io.millrace.train.spec.Component;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransformPlacementTest {
    private static final String PHOTOS = "[decode, RandomResizedCrop: {size: 8}, RandomHorizontalFlip: {place: %s},"
            + " ColorJitter: {hue: 0.1, place: %s}]";
    private static final String FLOATS = "[ToFloat, Normalize: {mean: [0.5], std: [0.5]}]";

    @TempDir
    Path folder;

    @Test
    void fileWithoutPlacesStaysUnchanged() throws Exception {
        PipelineConfig given = config("[decode, RandomResizedCrop: {size: 8}, ColorJitter]", FLOATS);
        for (Trainer trainer : Trainer.values()) {
            PipelineConfig placed = TransformPlacement.of(given, trainer);
            assertThat(placed).isEqualTo(given);
        }
    }

    @Test
    void endOfTheListMovesToTheDeviceWithContinuedNumbers() throws Exception {
        PipelineConfig placed = TransformPlacement.of(config(PHOTOS.formatted("device", "device"), FLOATS));

        assertThat(names(placed.data().transforms())).containsExactly("decode", "RandomResizedCrop");
        assertThat(names(placed.device().placed().train())).containsExactly("RandomHorizontalFlip", "ColorJitter");
        assertThat(parts(placed.device().transforms())).containsExactly("ToFloat", "Normalize");
        assertThat(placed.device().placed().train().get(1).options().raw()).isEqualTo(Map.of("hue", 0.1));
        assertThat(placed.device().placed().decisions())
                .containsExactly(
                        new PlaceDecision("transforms.2.RandomHorizontalFlip", "device", "as set in the pipeline file"),
                        new PlaceDecision("transforms.3.ColorJitter", "device", "as set in the pipeline file"));
    }

    @Test
    void writtenDecisionIsDecidedTheSameAgain() throws Exception {
        PipelineConfig placed = TransformPlacement.of(
                config(
                        PHOTOS.formatted("auto", "auto"),
                        "[ToFloat: {place: server}, Normalize: {mean: [0.5], std: [0.5]}]",
                        "evaluate: {dataset: {format: folder, path: a}, transforms: [decode, CenterCrop: {size: 8}]}"),
                Trainer.HOST);
        Path written = folder.resolve("written.yaml");
        Files.writeString(
                written, new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(placed.toMap()));
        PipelineConfig again = TransformPlacement.of(ConfigReader.read(written, List.of()));
        assertThat(again.toMap()).isEqualTo(placed.toMap());
        assertThat(names(again.data().transforms()))
                .containsExactly("decode", "RandomResizedCrop", "RandomHorizontalFlip", "ColorJitter", "ToFloat");
    }

    @Test
    void transformsOnTheDeviceAreWrittenWithTheirPlaceAndReadAgain() throws Exception {
        PipelineConfig placed = TransformPlacement.of(config(PHOTOS.formatted("auto", "device"), FLOATS), Trainer.GPU);
        Path written = folder.resolve("written.yaml");
        Files.writeString(
                written, new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(placed.toMap()));
        PipelineConfig again = TransformPlacement.of(ConfigReader.read(written, List.of()), Trainer.HOST);
        assertThat(again.toMap()).isEqualTo(placed.toMap());
        assertThat(names(again.device().placed().train())).containsExactly("RandomHorizontalFlip", "ColorJitter");
    }

    @Test
    void autoMovesToAGpuAndStaysOnTheServersWithoutOne() throws Exception {
        PipelineConfig given = config(PHOTOS.formatted("auto", "auto"), FLOATS);
        assertThat(names(TransformPlacement.of(given, Trainer.GPU)
                        .device()
                        .placed()
                        .train()))
                .containsExactly("RandomHorizontalFlip", "ColorJitter");
        PipelineConfig onHost = TransformPlacement.of(given, Trainer.HOST);
        assertThat(onHost.device().placed().train()).isEmpty();
        assertThat(onHost.device().placed().decisions())
                .extracting(PlaceDecision::reason)
                .containsExactly(
                        "it cannot run on the device: transforms.3.ColorJitter after it runs on the server",
                        "the trainer has no GPU");
    }

    @Test
    void autoFollowsAnEarlierTransformToTheDevice() throws Exception {
        for (Trainer trainer : Trainer.values()) {
            PipelineConfig placed = TransformPlacement.of(config(PHOTOS.formatted("device", "auto"), FLOATS), trainer);
            assertThat(names(placed.device().placed().train())).containsExactly("RandomHorizontalFlip", "ColorJitter");
            assertThat(placed.device().placed().decisions())
                    .extracting(PlaceDecision::reason)
                    .containsExactly(
                            "as set in the pipeline file",
                            "transforms.2.RandomHorizontalFlip before it runs on the device");
        }
    }

    @Test
    void autoStaysOnTheServersBeforeATransformOnTheServers() throws Exception {
        PipelineConfig placed = TransformPlacement.of(
                config("[decode, Resize: {size: [8, 8], place: auto}, RandomMask, ColorJitter: {place: auto}]", FLOATS),
                Trainer.GPU);
        assertThat(names(placed.data().transforms())).containsExactly("decode", "Resize", "RandomMask");
        assertThat(placed.device().placed().decisions().get(0).reason()).contains("transforms.2.RandomMask after it");
    }

    @Test
    void autoStaysOnTheServersWhenSizesMayDiffer() throws Exception {
        PipelineConfig placed =
                TransformPlacement.of(config("[decode, Resize: {size: [8, 8], place: auto}]", FLOATS), Trainer.GPU);
        assertThat(placed.device().placed().decisions())
                .containsExactly(
                        new PlaceDecision("transforms.1.Resize", "server", "images may differ in size before it"));
    }

    @Test
    void floatsMadeOnTheServersNameTheirField() throws Exception {
        PipelineConfig placed = TransformPlacement.of(config(
                "[decode, CenterCrop: {size: 8}]",
                "[ToFloat: {place: server}, Normalize: {mean: [0.5], std: [0.5]}]",
                "evaluate: {dataset: {format: folder, path: a}, transforms: [decode, CenterCrop: {size: 8}]}"));
        assertThat(names(placed.data().transforms())).containsExactly("decode", "CenterCrop", "ToFloat");
        assertThat(placed.data().transforms().get(2).options().raw()).isEqualTo(Map.of("field", "image"));
        assertThat(names(placed.evaluate().orElseThrow().transforms()))
                .containsExactly("decode", "CenterCrop", "ToFloat");
        assertThat(parts(placed.device().transforms())).containsExactly("Normalize");
    }

    @Test
    void flipOfDeviceTransformsAppliesToTrainingOnlyAndResizeToBothDatasets() throws Exception {
        PipelineConfig placed = TransformPlacement.of(config(
                "[decode, CenterCrop: {size: 9}]",
                "[Resize: {size: 8}, RandomHorizontalFlip, ToFloat]",
                "evaluate: {dataset: {format: folder, path: a}, transforms: [decode, CenterCrop: {size: 9}]}"));
        assertThat(names(placed.device().placed().train())).containsExactly("Resize", "RandomHorizontalFlip");
        assertThat(names(placed.device().placed().evaluate())).containsExactly("Resize");
        assertThat(parts(placed.device().transforms())).containsExactly("ToFloat");
    }

    @Test
    void evaluationTransformsHaveTheirOwnPlaces() throws Exception {
        PipelineConfig placed = TransformPlacement.of(
                config(
                        "[decode, RandomResizedCrop: {size: 9}]",
                        FLOATS,
                        "evaluate: {dataset: {format: folder, path: a}, transforms: [decode, CenterCrop: {size: 18}, Resize: {size: 9, place: device}]}"));
        assertThat(placed.device().placed().train()).isEmpty();
        assertThat(names(placed.device().placed().evaluate())).containsExactly("Resize");
        assertThat(placed.device().placed().decisions())
                .extracting(PlaceDecision::transform)
                .containsExactly("evaluate.transforms.2.Resize");
    }

    @Test
    void previewsRunImageTransformsOnTheServers() throws Exception {
        PipelineConfig placed = TransformPlacement.onServers(config(
                "[decode, CenterCrop: {size: 9}, ColorJitter: {place: device}]", "[RandomVerticalFlip, ToFloat]"));
        assertThat(names(placed.data().transforms()))
                .containsExactly("decode", "CenterCrop", "ColorJitter", "RandomVerticalFlip");
        assertThat(placed.device().placed().train()).isEmpty();
        assertThat(parts(placed.device().transforms())).containsExactly("ToFloat");
    }

    @Test
    void stagesOnTheDeviceLoseTheirSlots() throws Exception {
        PipelineConfig placed = TransformPlacement.of(config(
                PHOTOS.formatted("server", "device"), FLOATS, "stages: {ColorJitter: 2, RandomHorizontalFlip: 3}"));
        assertThat(placed.slots().stages().parallelism()).isEqualTo(Map.of("RandomHorizontalFlip", 3));
    }

    @Test
    void impossiblePlaceIsReportedWithTheReason() {
        refused(PHOTOS.formatted("device", "server"), FLOATS)
                .hasMessage(
                        "transforms.2.RandomHorizontalFlip cannot run on the device: transforms.3.ColorJitter after it runs"
                                + " on the server");
        refused("[decode, RandomMask: {place: device}]", FLOATS)
                .hasMessageContaining("transforms.1.RandomMask cannot run on the device: the device supports only"
                        + " RandomHorizontalFlip,")
                .hasMessageContaining("Resize, ToFloat, Normalize, ConvertColor");
        refused("[decode]", "[ToFloat, Normalize: {mean: [0.5], std: [0.5], place: server}]")
                .hasMessageContaining(
                        "device.transforms.0.ToFloat cannot run on the device: device.transforms.1.Normalize"
                                + " after it runs on the server");
        refused("[decode, ColorJitter: {place: device}]", "[ToFloat: {place: server}]")
                .hasMessageContaining("transforms.1.ColorJitter cannot run on the device")
                .hasMessageContaining("device.transforms.0.ToFloat after it");
        refused("[decode]", "[ToFloat, ColorJitter]")
                .hasMessageContaining("device.transforms.1.ColorJitter cannot run on the device: it changes bytes, and"
                        + " device.transforms.0.ToFloat before it converts them to floats");
        refused("[decode]", "[MixUp: {place: server}]")
                .hasMessageContaining("device.transforms.0.MixUp cannot run on the server");
        refused("[decode]", "[MixUp, ColorJitter]")
                .hasMessageContaining("device.transforms.0.MixUp before it mixes finished rows");
        refused("[decode, ToFloat: {field: mask, place: device}]", "[]")
                .hasMessageContaining("'mask', which is no input of the model");
    }

    private org.assertj.core.api.AbstractThrowableAssert<?, ?> refused(String transforms, String device) {
        return assertThatThrownBy(() -> TransformPlacement.of(config(transforms, device), Trainer.GPU))
                .isInstanceOf(PipelineException.class);
    }

    private static final String WITH_BOXES = """
            dataset:
              format: parquet
              path: photos.parquet
              fields: {image: image, boxes: {as: {boxes: xywh}}, classes: {labels_of: boxes}}
            transforms: %s
            device: {transforms: %s}
            train: {model: none}
            parallelism: 2
            """;

    private PipelineConfig withBoxes(String transforms, String device) throws Exception {
        return ConfigReader.read(
                Files.writeString(folder.resolve("boxes.yaml"), WITH_BOXES.formatted(transforms, device)), List.of());
    }

    @Test
    void geometryStaysOnTheServersBesideBoxes() throws Exception {
        PipelineConfig placed = TransformPlacement.of(withBoxes(PHOTOS.formatted("auto", "auto"), FLOATS), Trainer.GPU);
        assertThat(names(placed.data().transforms()))
                .containsExactly("decode", "RandomResizedCrop", "RandomHorizontalFlip");
        assertThat(names(placed.device().placed().train())).containsExactly("ColorJitter");

        PipelineConfig onDevice = withBoxes(PHOTOS.formatted("device", "device"), FLOATS);
        assertThatThrownBy(() -> TransformPlacement.of(onDevice, Trainer.GPU))
                .hasMessage(
                        "transforms.2.RandomHorizontalFlip cannot run on the device: the device does not move the boxes"
                                + " and points of samples with the pixels; write it in transforms, with place: server");
    }

    @Test
    void mixingRowsIsRefusedBesideBoxes() throws Exception {
        for (String mix : List.of("MixUp", "CutMix", "RandomChoice: {transforms: [MixUp, CutMix]}")) {
            PipelineConfig config = withBoxes("[decode, Resize: {size: [8, 8]}]", "[ToFloat, " + mix + "]");
            assertThatThrownBy(() -> TransformPlacement.of(config, Trainer.GPU))
                    .isInstanceOf(PipelineException.class)
                    .hasMessageContaining(
                            mix.replaceAll(":.*", "") + " cannot run on the device: it mixes the pictures of two"
                                    + " samples, but not their boxes and points");
        }
    }

    private PipelineConfig config(String transforms, String device, String... more) throws Exception {
        return ConfigReader.read(file(transforms, device, more), List.of());
    }

    private Path file(String transforms, String device, String... more) throws IOException {
        return Files.writeString(
                folder.resolve("some.yaml"), """
                dataset: {format: folder, path: photos}
                transforms: %s
                device: {transforms: %s}
                train: {model: none}
                parallelism: 2
                %s
                """.formatted(transforms, device, String.join("\n", more)));
    }

    private static List<String> names(List<TransformSpec> specs) {
        return specs.stream().map(TransformSpec::name).toList();
    }

    private static List<String> parts(List<Component> parts) {
        return parts.stream().map(Component::name).toList();
    }
}
