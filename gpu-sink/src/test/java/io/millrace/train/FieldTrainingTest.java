package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.batch.BatchSpec;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.input.LabelOutOfRangeException;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.spec.Tuning;
import io.millrace.train.state.SafeTensors;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A comparison of one step on targets and inputs of each kind with torch 2.14.1. */
public class FieldTrainingTest {
    /** The largest difference of a parameter or a loss from torch's. */
    public static final double ROUNDING = 2e-6;

    public static final List<Integer> ALL = List.of(0, 1, 2, 3, 4, 5);
    private static final Component TO_FLOAT = part(DeviceTransforms.all(), "ToFloat", Map.of());
    private static final Component CROSS_ENTROPY = part(Losses.all(), "cross_entropy", Map.of());
    private static final Component BINARY = part(Losses.all(), "binary_cross_entropy", Map.of());
    private static final Component SQUARED = part(Losses.all(), "mean_squared_error", Map.of());
    private static final BatchSpec PICTURES = new BatchSpec(List.of(FieldRows.BITS, FieldRows.MASK, FieldRows.IMAGE));
    private static final BatchSpec MANY = new BatchSpec(List.of(
            FieldRows.TEXT, FieldRows.IMAGE, FieldRows.SEVERAL, FieldRows.PLACE, FieldRows.CLASSES, FieldRows.VALUES));
    private static final List<String> READ = List.of("image", "place", "text");

    private static TrainSpec spec(
            BatchSpec batch, String model, long classes, Roles roles, Component loss, Component... transforms) {
        return new TrainSpec(
                new TrainData(batch, roles, List.of(transforms)),
                new Recipe(
                        part(
                                Models.all(),
                                "torchscript",
                                Map.of("path", Vectors.file(model).toString(), "classes", classes)),
                        loss,
                        part(Optimizers.all(), "sgd", Map.of("learning_rate", 0.1)),
                        part(Schedules.all(), "constant", Map.of()),
                        1),
                new RunLength(1, 1),
                Tuning.ofThreads(1));
    }

    private static TrainSpec segmenting(String target, Component loss, Component... transforms) {
        return spec(PICTURES, "segment.pt", 4, new Roles(List.of(Sample.IMAGE), target), loss, transforms);
    }

    /** Returns a model with one class, which does not fit masks of several classes. */
    public static TrainSpec segmentingOneClass(String target) {
        return spec(PICTURES, "segment1.pt", 1, new Roles(List.of(Sample.IMAGE), target), CROSS_ENTROPY, TO_FLOAT);
    }

    /** Returns a step that makes inputs of masks and has no model. */
    public static TrainSpec feedingMasks(long classes) {
        return new TrainSpec(
                new TrainData(
                        PICTURES,
                        new Roles(List.of("mask"), Roles.LABEL),
                        List.of(part(DeviceTransforms.all(), "OneHot", Map.of("field", "mask", "classes", classes)))),
                new Recipe(
                        part(Models.all(), "none", Map.of()),
                        CROSS_ENTROPY,
                        part(Optimizers.all(), "sgd", Map.of("learning_rate", 0.1)),
                        part(Schedules.all(), "constant", Map.of()),
                        1),
                new RunLength(1, 1),
                Tuning.ofThreads(1));
    }

    private static TrainSpec reading(String target, Component loss, Component... transforms) {
        return spec(MANY, "reader.pt", 4, new Roles(READ, target), loss, transforms);
    }

    static Stream<Arguments> targets() {
        Component ignoring = part(Losses.all(), "cross_entropy", Map.of("ignore_index", 2L));
        Component oneHot = part(DeviceTransforms.all(), "OneHot", Map.of("classes", 4L));
        Component multiHot = part(DeviceTransforms.all(), "MultiHot", Map.of("field", "classes", "classes", 4L));
        return Stream.of(
                Arguments.of("mask", segmenting("mask", CROSS_ENTROPY, TO_FLOAT)),
                Arguments.of("ignored", segmenting("mask", ignoring, TO_FLOAT)),
                Arguments.of("hot", segmenting("mask", CROSS_ENTROPY, oneHot, TO_FLOAT)),
                Arguments.of(
                        "bits",
                        spec(PICTURES, "segment1.pt", 1, new Roles(List.of(Sample.IMAGE), "bits"), BINARY, TO_FLOAT)),
                Arguments.of("several", reading("several", BINARY, TO_FLOAT)),
                Arguments.of("several", reading("classes", BINARY, multiHot, TO_FLOAT)),
                Arguments.of("values", reading("values", SQUARED, TO_FLOAT)),
                Arguments.of("labels", reading("label", CROSS_ENTROPY, TO_FLOAT)),
                Arguments.of("labels", reading("label", CROSS_ENTROPY, oneHot, TO_FLOAT)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("targets")
    void stepEqualsTorch(String name, TrainSpec spec, @TempDir Path folder) throws IOException {
        assertEqualsTorchs(name, spec, folder, new HostDevice(), ROUNDING);
    }

    /** Trains and evaluates on the batch that torch used, and compares all results. */
    public static void assertEqualsTorchs(String name, TrainSpec spec, Path folder, Device device, double rounding)
            throws IOException {
        Vectors vectors = Vectors.read("fields.safetensors");
        try (TrainStep step = TrainStep.open(spec, vectors.rows(), device);
                DeviceBatch batch = device.allocate(spec.data().input(), vectors.rows())) {
            new FieldRows(vectors).fill(batch, Split.TRAIN, ALL);
            batch.beginUse();
            Pending<StepResult> pending = step.enqueue(batch);
            batch.endUse();
            assertThat(pending.result().loss()).isCloseTo(vectors.doubles(name + ".loss")[0], within(rounding));
            new FieldRows(vectors).fill(batch, Split.EVALUATE, ALL);
            batch.beginUse();
            TrainStep.EvaluationResult evaluation = step.evaluate(batch);
            batch.endUse();
            assertThat(evaluation.lossSum())
                    .isCloseTo(vectors.doubles(name + ".evaluation.loss_sum")[0], within(10 * rounding));
            assertCorrect(evaluation, name, vectors);
            step.save(folder);
            SafeTensors.read(folder.resolve("model.safetensors")).forEach((parameter, values) -> assertThat(
                            Vectors.array(values.values().asFloatBuffer()))
                    .as(parameter)
                    .containsExactly(vectors.floats(name + ".final." + parameter), within((float) rounding)));
        }
    }

    private static void assertCorrect(TrainStep.EvaluationResult evaluation, String name, Vectors vectors) {
        int pixels = 6 * 7 * 5;
        switch (name) {
            case "mask", "bits" -> {
                assertThat(evaluation.correct()).isEqualTo(vectors.longs(name + ".evaluation.correct")[0]);
                assertThat(evaluation.counted()).isEqualTo(pixels);
            }
            case "ignored" -> {
                assertThat(evaluation.correct()).isEqualTo(vectors.longs("ignored.evaluation.correct")[0]);
                assertThat(evaluation.counted()).isEqualTo(vectors.longs("ignored.evaluation.correct")[1]);
            }
            case "several" -> {
                assertThat(evaluation.correct()).isEqualTo(vectors.longs("several.evaluation.correct")[0]);
                assertThat(evaluation.counted()).isEqualTo(6 * 4);
            }
            case "values" -> assertThat(evaluation.correct()).isEqualTo(-1);
            case "hot" -> assertThat(evaluation.counted()).isEqualTo(pixels);
            default -> assertThat(evaluation.counted()).isEqualTo(6);
        }
    }

    @Test
    void quarantinedRowsDoNotInfluenceTheStep() throws IOException {
        Vectors vectors = Vectors.read("fields.safetensors");
        TrainSpec spec = reading("several", BINARY, TO_FLOAT);
        double whole = 0;
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            for (int row : List.of(0, 2, 4)) {
                new FieldRows(vectors).fill(batch, Split.EVALUATE, List.of(row));
                whole += step.evaluate(batch).lossSum();
            }
            new FieldRows(vectors).fill(batch, Split.EVALUATE, List.of(0, 2, 4));
            assertThat(step.evaluate(batch).lossSum()).isCloseTo(whole, within(1e-5));
        }
    }

    @Test
    void classOutOfRangeInAMaskIsReportedWithItsPlace() throws IOException {
        Vectors vectors = Vectors.read("fields.safetensors");
        TrainSpec spec = segmentingOneClass("mask");
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            new FieldRows(vectors).fill(batch, Split.TRAIN, ALL);
            assertThatThrownBy(() -> step.train(batch))
                    .isInstanceOf(LabelOutOfRangeException.class)
                    .hasMessageMatching("training sample 0 has class [123] at \\[\\d, \\d] of 'mask', but there are 1"
                            + " classes: expected 0 to 0");
        }
    }

    @Test
    void componentsThatDoNotFitTogetherAreReportedWhenOpened() {
        assertRefused(reading("classes", BINARY, TO_FLOAT), "MultiHot");
        assertRefused(reading("nothing", BINARY, TO_FLOAT), "no field 'nothing' in the batch, only [text, image");
        assertRefused(reading("label", BINARY, TO_FLOAT), "expected a model with classes: 1, found 4");
        assertRefused(
                reading("label", CROSS_ENTROPY, part(DeviceTransforms.all(), "OneHot", Map.of("classes", 5L))),
                "OneHot of 'label' has 5 classes, but the model has 4");
        assertRefused(
                reading("label", CROSS_ENTROPY, part(DeviceTransforms.all(), "ToFloat", Map.of("field", "values"))),
                "ToFloat changes 'values', which is no input of the model: expected one of [image, place, text]");
        assertRefused(
                reading("label", CROSS_ENTROPY, part(DeviceTransforms.all(), "MultiHot", Map.of("classes", 4L))),
                "MultiHot needs a ragged field of class numbers, found 'label', the samples' labels");
        TrainSpec mlp = new TrainSpec(
                new TrainData(MANY, new Roles(List.of("text"), "label"), List.of()),
                new Recipe(
                        part(Models.all(), "mlp", Map.of()),
                        CROSS_ENTROPY,
                        part(Optimizers.all(), "sgd", Map.of("learning_rate", 0.1)),
                        part(Schedules.all(), "constant", Map.of()),
                        1),
                new RunLength(1, 1),
                Tuning.ofThreads(1));
        assertRefused(mlp, "the model mlp needs one input of floats with one shape, found 'text' UINT8[?]");
    }

    @Test
    void outputsThatDoNotMatchTheTargetAreReportedWithBothShapes() throws IOException {
        Vectors vectors = Vectors.read("fields.safetensors");
        TrainSpec spec = segmenting("label", CROSS_ENTROPY, TO_FLOAT);
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            new FieldRows(vectors).fill(batch, Split.TRAIN, ALL);
            assertThatThrownBy(() -> step.train(batch))
                    .isInstanceOf(TrainSpecException.class)
                    .hasMessageContaining("outputs of (6, 4, 7, 5) with targets of (6, 1)");
        }
    }

    private static void assertRefused(TrainSpec spec, String sentence) {
        assertThatThrownBy(() -> TrainStep.open(spec, 6))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining(sentence);
    }
}
