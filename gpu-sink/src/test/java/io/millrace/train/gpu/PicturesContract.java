package io.millrace.train.gpu;

import static io.millrace.device.EngineUnderTest.ROUNDING;
import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineUnderTest;
import io.millrace.device.HostDevice;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainingFigures;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.input.PictureTransformsContract;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.RowStages;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Training on pictures that are changed in memory that the CPU cannot access. */
abstract class PicturesContract {
    private static final int ROWS = 20;
    private static final int STEPS = 4;

    private final EngineUnderTest engine;

    PicturesContract(EngineUnderTest engine) {
        this.engine = engine;
    }

    @AfterEach
    void nothingIsLeft() {
        engine.assertNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(MemoryFormat.class)
    void changedPicturesTrainAndEvaluateAsOnTheHost(MemoryFormat format) {
        TrainSpec spec = spec(format);
        List<Double> onHost = figures(spec, new HostDevice());
        List<Double> onDevice;
        try (CudaDevice device = engine.open()) {
            onDevice = figures(spec, device);
        }
        assertThat(onDevice).hasSize(2 * STEPS);
        for (int i = 0; i < onDevice.size(); i++) {
            assertThat(onDevice.get(i)).isCloseTo(onHost.get(i), within(ROUNDING));
        }
        assertThat(figures(spec(format).with(RowStages.NONE), new HostDevice()))
                .as("without the changes")
                .isNotEqualTo(onHost);
    }

    @Test
    void picturesChangedOnlyInTrainingAreEvaluatedUnchanged() {
        List<RowStage> flip = List.of(stage("RandomHorizontalFlip", Map.of(), 0));
        TrainSpec spec = spec(MemoryFormat.CHANNELS_LAST).with(new RowStages(9, flip, List.of()));
        List<Double> onHost = figures(spec, new HostDevice());
        try (CudaDevice device = engine.open()) {
            List<Double> onDevice = figures(spec, device);
            for (int i = 0; i < onDevice.size(); i++) {
                assertThat(onDevice.get(i)).isCloseTo(onHost.get(i), within(ROUNDING));
            }
        }
    }

    /** Returns the losses of steps, each followed by that of an evaluation. */
    private static List<Double> figures(TrainSpec spec, Device device) {
        List<Double> figures = new ArrayList<>();
        try (TrainStep step = TrainStep.open(spec, ROWS, device);
                DeviceBatch batch = device.allocate(spec.data().input(), ROWS)) {
            for (int i = 0; i < STEPS; i++) {
                figures.add(used(batch, i, Split.TRAIN, () -> step.train(batch).loss()));
                figures.add(used(
                        batch, i, Split.EVALUATE, () -> step.evaluate(batch).lossSum()));
            }
        }
        return figures;
    }

    private interface Use {
        double figure();
    }

    private static double used(DeviceBatch batch, int step, Split split, Use use) {
        fill(batch, step, split);
        batch.beginUse();
        double figure = use.figure();
        batch.endUse();
        return figure;
    }

    private static void fill(DeviceBatch batch, int step, Split split) {
        int size = batch.spec().rowBytes();
        List<byte[]> pictures = PictureTransformsContract.pictures(ROWS, size);
        batch.begin(2L * step + (split == Split.TRAIN ? 0 : 1), step, step / 2, split, ROWS);
        try (AlignedMemory rows = AlignedMemory.allocate((long) ROWS * size, "rows")) {
            for (int i = 0; i < ROWS; i++) {
                rows.buffer().put(i * size, pictures.get(i));
                batch.filling().put(0, i, rows.address() + (long) i * size);
                batch.filling().place(i, i, 7L * step + i, i % 3);
            }
            batch.filling().arrivedRows(); // waits for the copies
        }
        batch.seal();
    }

    private static TrainSpec spec(MemoryFormat format) {
        BatchSpec.Column column =
                new BatchSpec.Column("image", DType.UINT8, List.of(14, 12, 3), FieldKind.IMAGE, Form.DENSE);
        RowStage resize = stage("Resize", Map.of("size", List.of(10L, 9L)), 0);
        List<RowStage> train = List.of(
                resize,
                stage("ColorJitter", Map.of("brightness", 0.4, "contrast", 0.4, "saturation", 0.4, "hue", 0.2), 1),
                stage("RandomHorizontalFlip", Map.of(), 2),
                stage("RandomVerticalFlip", Map.of(), 3));
        TrainSpec spec = new TrainSpec(
                new TrainData(
                        new BatchSpec(List.of(column)),
                        List.of(
                                part(DeviceTransforms.all(), "ConvertColor", Map.of()),
                                part(DeviceTransforms.all(), "ToFloat", Map.of()),
                                part(DeviceTransforms.all(), "CutMix", Map.of()))),
                new Recipe(
                        part(Models.all(), "convnet", Map.of("channels", List.of(4L), "classes", 3L)),
                        part(Losses.all(), "cross_entropy", Map.of()),
                        TrainingFigures.SGD,
                        TrainingFigures.CONSTANT,
                        3),
                new RunLength(STEPS, 1),
                new Tuning(1, format));
        return spec.with(new RowStages(9, train, List.of(resize)));
    }

    private static RowStage stage(String name, Map<String, ?> options, int number) {
        return new RowStage(new Component(name, TransformSpec.of(name, options).options()), number);
    }
}
