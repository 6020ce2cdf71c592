package io.millrace.train.gpu;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineUnderTest;
import io.millrace.device.HostDevice;
import io.millrace.exchange.GradientExchange;
import io.millrace.sample.Split;
import io.millrace.train.Continuation;
import io.millrace.train.FieldRows;
import io.millrace.train.FieldTrainingTest;
import io.millrace.train.Pending;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.input.LabelOutOfRangeException;
import io.millrace.train.input.LateChecks;
import io.millrace.train.network.Models;
import io.millrace.train.network.PackedRows;
import io.millrace.train.network.TextMlpTest;
import io.millrace.train.spec.TrainSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Training on a device whose memory the CPU cannot access, compared with training on the host. */
abstract class TrainingContract {
    private static final int END = 6;

    @TempDir
    Path folder;

    private final EngineUnderTest engine;

    TrainingContract(EngineUnderTest engine) {
        this.engine = engine;
    }

    @AfterEach
    void nothingIsLeft() {
        engine.assertNothingLeft();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.millrace.train.FieldTrainingTest#targets")
    void stepEqualsTorch(String name, TrainSpec spec) throws IOException {
        try (CudaDevice device = engine.open()) {
            FieldTrainingTest.assertEqualsTorchs(name, spec, folder, device, engine.within(FieldTrainingTest.ROUNDING));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "masked"})
    void textModelEqualsTorchs(String name) throws IOException {
        try (CudaDevice device = engine.open()) {
            TextMlpTest.assertEqualsTorchs(name, device, engine.within(FieldTrainingTest.ROUNDING));
        }
    }

    @Test
    void tokenBeyondTheVocabularyIsReportedWithTheStepsResult() throws IOException {
        TrainSpec spec = PackedRows.spec("all", PackedRows.VOCABULARY - 1L);
        try (CudaDevice device = engine.open();
                TrainStep step = TrainStep.open(spec, 4, device);
                DeviceBatch batch = device.allocate(spec.data().input(), 4)) {
            new PackedRows(Vectors.read("text_mlp.safetensors")).fill(batch, 0, Split.TRAIN);
            batch.beginUse();
            Pending<StepResult> pending = step.enqueue(batch);
            batch.endUse();
            assertThatThrownBy(pending::result)
                    .isInstanceOf(LabelOutOfRangeException.class)
                    .hasMessageContaining("class numbers from 0 to 10 in 'tokens'")
                    .hasMessageContaining("expected 0 to 9");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MixUp", "CutMix"})
    void mixedRowsEqualTheHosts(String mix) throws IOException {
        Continuation training = Continuation.of(
                        "convnet_adam",
                        part(Models.all(), "convnet", Map.of("channels", List.of(4L, 8L), "classes", 3L)),
                        TrainingFigures.SGD_NESTEROV)
                .and(part(DeviceTransforms.all(), mix, Map.of()));
        List<Double> expected;
        try (TrainStep step = training.open()) {
            expected = training.train(step, 0, END, new HostDevice());
        }
        try (CudaDevice device = engine.open();
                TrainStep step = training.open(device)) {
            AgreementContract.assertClose(training.train(step, 0, END, device), expected);
        }
    }

    /** Gradients go to the replicas through the host, and their average comes back before the update. */
    @Test
    void updateUsesTheGradientsThatReplicasAveraged() throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.SGD);
        List<Double> shared = new ArrayList<>();
        GradientExchange zeroing = new GradientExchange() {
            @Override
            public long rows() {
                return 6;
            }

            @Override
            public void average(List<ByteBuffer> blocks) {
                for (ByteBuffer block : blocks) {
                    for (int i = 0; i < block.limit(); i += Float.BYTES) {
                        shared.add((double) block.getFloat(i));
                        block.putFloat(i, 0);
                    }
                }
            }

            @Override
            public long average(List<ByteBuffer> blocks, long rows, double weight) {
                average(blocks);
                return rows;
            }
        };
        try (CudaDevice device = engine.open();
                TrainStep step = training.open(device)) {
            String before = step.parametersSha256();
            step.replicate(zeroing);
            training.train(step, 0, 2, device);
            assertThat(shared).anyMatch(gradient -> gradient != 0);
            assertThat(step.parametersSha256()).isEqualTo(before);
        }
    }

    @Test
    void classOutOfRangeInAMaskIsReportedWithTheStepsResult() throws IOException {
        Vectors vectors = Vectors.read("fields.safetensors");
        TrainSpec spec = FieldTrainingTest.segmentingOneClass("mask");
        try (CudaDevice device = engine.open();
                TrainStep step = TrainStep.open(spec, vectors.rows(), device);
                DeviceBatch batch = device.allocate(spec.data().input(), vectors.rows())) {
            new FieldRows(vectors).fill(batch, Split.TRAIN, FieldTrainingTest.ALL);
            batch.beginUse();
            Pending<StepResult> pending = step.enqueue(batch);
            batch.endUse();
            assertThatThrownBy(pending::result)
                    .isInstanceOf(LabelOutOfRangeException.class)
                    .hasMessageContaining("training batch of step 0 has class numbers from 0 to 3 in 'mask'")
                    .hasMessageContaining("expected 0 to 0");
            assertThatThrownBy(() -> step.evaluate(batch)).isInstanceOf(LabelOutOfRangeException.class);
        }
    }

    /** A device keeps the checks of a batch until their numbers arrive. */
    @Test
    void inputsWithoutAModelAreCheckedInEveryBatch() throws IOException {
        Vectors vectors = Vectors.read("fields.safetensors");
        TrainSpec spec = FieldTrainingTest.feedingMasks(4);
        try (CudaDevice device = engine.open();
                TrainStep step = TrainStep.open(spec, vectors.rows(), device);
                DeviceBatch batch = device.allocate(spec.data().input(), vectors.rows())) {
            for (int i = 0; i < 2 * LateChecks.MOST; i++) {
                new FieldRows(vectors).fill(batch, Split.TRAIN, FieldTrainingTest.ALL);
                batch.beginUse();
                Pending<StepResult> pending = step.enqueue(batch);
                batch.endUse();
                assertThat(pending.result().loss()).isNaN();
                assertThat(step.evaluate(batch).rows()).isEqualTo(FieldTrainingTest.ALL.size());
            }
        }
    }

    @Test
    void classOutOfRangeInAnInputWithoutAModelIsReported() throws IOException {
        Vectors vectors = Vectors.read("fields.safetensors");
        TrainSpec spec = FieldTrainingTest.feedingMasks(2);
        try (CudaDevice device = engine.open();
                TrainStep step = TrainStep.open(spec, vectors.rows(), device);
                DeviceBatch batch = device.allocate(spec.data().input(), vectors.rows())) {
            new FieldRows(vectors).fill(batch, Split.TRAIN, FieldTrainingTest.ALL);
            batch.beginUse();
            Pending<StepResult> pending = step.enqueue(batch);
            batch.endUse();
            assertThatThrownBy(pending::result)
                    .isInstanceOf(LabelOutOfRangeException.class)
                    .hasMessageContaining("class numbers from 0 to 3 in 'mask'")
                    .hasMessageContaining("expected 0 to 1");
            assertThatThrownBy(() -> step.evaluate(batch)).isInstanceOf(LabelOutOfRangeException.class);
        }
    }

    @Test
    void labelOutOfRangeIsReportedAtOnceWithItsSample() throws IOException {
        Continuation training = Continuation.of(
                "mlp_adam",
                part(Models.all(), "mlp", Map.of("hidden", List.of(8L), "classes", 1L)),
                TrainingFigures.SGD);
        try (CudaDevice device = engine.open();
                TrainStep step = training.open(device)) {
            assertThatThrownBy(() -> training.train(step, 0, 1, device))
                    .isInstanceOf(LabelOutOfRangeException.class)
                    .hasMessageMatching("training sample \\d+ has label \\d+, but the model has 1 classes.*");
        }
    }

    @Test
    void moreStepsThanMayBePendingKeepTheirResults() throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        List<Double> expected;
        try (TrainStep step = training.open()) {
            expected = training.train(step, 0, 40, new HostDevice());
        }
        try (CudaDevice device = engine.open();
                TrainStep step = training.open(device)) {
            AgreementContract.assertClose(training.train(step, 0, 40, device), expected);
        }
    }
}
