package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.device.StubDriver;
import io.millrace.exchange.GradientExchange;
import io.millrace.sample.Split;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Training on a device whose memory the processor does not reach, rehearsed: the driver is a stub, the engine on the host. */
class RehearsedTrainingTest {
    private static final int STOP = 3;
    private static final int END = 6;
    private static final double ROUNDING = 1e-4;

    @TempDir
    Path folder;

    private StubDriver driver;

    @BeforeAll
    static void needsTheStub() {
        StubDriver.fresh();
        TrainingRuntime.preload();
    }

    @BeforeEach
    void load() {
        driver = StubDriver.fresh(1, 50);
    }

    @AfterEach
    void nothingIsLeft() {
        driver.assertClean("after a test");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.millrace.train.FieldTrainingTest#targets")
    void aStepEqualsTorchs(String name, TrainSpec spec) throws IOException {
        try (CudaDevice device = StubDriver.rehearse(0)) {
            FieldTrainingTest.assertEqualsTorchs(name, spec, folder, device);
        }
    }

    /** A copy of either's state is the other's, too. */
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("io.millrace.train.TrainingContinuesTest#trainings")
    void theHostAndADeviceAgreeAndGoOnFromEachOther(
            String name, String optimizerName, String file, TrainSpec.Part model, TrainSpec.Part optimizer)
            throws IOException {
        Continuation training = Continuation.of(file, model, optimizer);
        HostDevice host = new HostDevice();
        byte[] atHost;
        List<Double> lossesAtHost;
        try (TrainStep step = training.open()) {
            lossesAtHost = training.train(step, 0, STOP, host);
            atHost = Continuation.bytes(step);
        }
        byte[] atDevice;
        try (CudaDevice device = StubDriver.rehearse(0);
                TrainStep step = training.open(device)) {
            assertClose(training.train(step, 0, STOP, device), lossesAtHost);
            atDevice = Continuation.bytes(step);
            assertThat(step.parametersSha256()).hasSize(64);
        }
        Map<String, float[]> stayed = goOn(training, atHost, host, "stayed");
        assertClose(goOn(training, atDevice, host, "back"), stayed);
        try (CudaDevice device = StubDriver.rehearse(0)) {
            assertClose(goOn(training, atHost, device, "there"), stayed);
        }
    }

    private Map<String, float[]> goOn(Continuation training, byte[] state, Device device, String run)
            throws IOException {
        Path into = Files.createDirectories(folder.resolve(run));
        try (TrainStep step = training.open(device)) {
            Continuation.restore(step, state);
            assertThat(Continuation.bytes(step))
                    .as("a copy of what was restored")
                    .isEqualTo(state);
            training.train(step, STOP, END, device);
            step.save(into);
        }
        Map<String, float[]> values = new TreeMap<>();
        if (Files.exists(into.resolve("model.safetensors"))) {
            SafeTensors.read(into.resolve("model.safetensors"))
                    .forEach((name, tensor) ->
                            values.put(name, Vectors.array(tensor.values().asFloatBuffer())));
        }
        return values;
    }

    private static void assertClose(List<Double> found, List<Double> expected) {
        for (int i = 0; i < expected.size(); i++) {
            if (!Double.isNaN(expected.get(i)) || !Double.isNaN(found.get(i))) {
                assertThat(found.get(i)).as("loss of step %d", i).isCloseTo(expected.get(i), within(ROUNDING));
            }
        }
    }

    private static void assertClose(Map<String, float[]> found, Map<String, float[]> expected) {
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        expected.forEach((name, values) -> {
            float[] other = Objects.requireNonNull(found.get(name));
            double most = 0;
            for (int i = 0; i < values.length; i++) {
                most = Math.max(most, Math.abs((double) values[i] - other[i]));
            }
            assertThat(most).as("the largest difference in '%s'", name).isLessThan(ROUNDING);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"MixUp", "CutMix"})
    void mixedRowsAreTheHosts(String mix) throws IOException {
        Continuation training = Continuation.of(
                        "convnet_adam",
                        part(Models.all(), "convnet", Map.of("channels", List.of(4L, 8L), "classes", 3L)),
                        TrainingFigures.SGD_NESTEROV)
                .and(part(DeviceTransforms.all(), mix, Map.of()));
        List<Double> expected;
        try (TrainStep step = training.open()) {
            expected = training.train(step, 0, END, new HostDevice());
        }
        try (CudaDevice device = StubDriver.rehearse(0);
                TrainStep step = training.open(device)) {
            assertClose(training.train(step, 0, END, device), expected);
        }
    }

    /** Gradients go to the replicas by way of the host, and what these make of them comes back before the update. */
    @Test
    void whatReplicasMakeOfTheGradientsIsTheUpdate() throws IOException {
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
        try (CudaDevice device = StubDriver.rehearse(0);
                TrainStep step = training.open(device)) {
            String before = step.parametersSha256();
            step.replicate(zeroing);
            training.train(step, 0, 2, device);
            assertThat(shared).anyMatch(gradient -> gradient != 0);
            assertThat(step.parametersSha256()).isEqualTo(before);
        }
    }

    @Test
    void aClassThatAMaskMayNotHaveIsToldWhenTheStepsResultComes() throws IOException {
        Vectors vectors = Vectors.read("fields.safetensors");
        TrainSpec spec = FieldTrainingTest.segmentingOneClass("mask");
        try (CudaDevice device = StubDriver.rehearse(0);
                TrainStep step = TrainStep.open(spec, vectors.rows(), device);
                DeviceBatch batch = device.allocate(spec.input(), vectors.rows())) {
            new FieldRows(vectors).fill(batch, Split.TRAIN, FieldTrainingTest.ALL);
            batch.beginUse();
            AskedStep asked = step.ask(batch);
            batch.endUse();
            assertThatThrownBy(asked::result)
                    .isInstanceOf(TrainStep.LabelOutOfRangeException.class)
                    .hasMessageContaining("training batch of step 0 has class numbers from 0 to 3 in 'mask'")
                    .hasMessageContaining("expected 0 to 0");
            assertThatThrownBy(() -> step.evaluate(batch)).isInstanceOf(TrainStep.LabelOutOfRangeException.class);
        }
    }

    @Test
    void aLabelThatIsNoClassIsToldWithItsSampleAtOnce() throws IOException {
        Continuation training = Continuation.of(
                "mlp_adam",
                part(Models.all(), "mlp", Map.of("hidden", List.of(8L), "classes", 1L)),
                TrainingFigures.SGD);
        try (CudaDevice device = StubDriver.rehearse(0);
                TrainStep step = training.open(device)) {
            assertThatThrownBy(() -> training.train(step, 0, 1, device))
                    .isInstanceOf(TrainStep.LabelOutOfRangeException.class)
                    .hasMessageMatching("training sample \\d+ has label \\d+, but the model has 1 classes.*");
        }
    }

    @Test
    void moreStepsThanThereIsRoomForKeepTheirResults() throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        List<Double> expected;
        try (TrainStep step = training.open()) {
            expected = training.train(step, 0, 40, new HostDevice());
        }
        try (CudaDevice device = StubDriver.rehearse(0);
                TrainStep step = training.open(device)) {
            assertClose(training.train(step, 0, 40, device), expected);
        }
    }

    /** Copies of rows and results go by page-locked memory, and nobody waits in a step but for the engine on the host. */
    @Test
    void aStepCopiesNothingFromPageableMemory() throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        try (CudaDevice device = StubDriver.rehearse(0);
                TrainStep step = training.open(device);
                DeviceBatch batch = device.allocate(training.spec().input(), 6)) {
            training.vectors().fill(batch, 0, 0, 6);
            long before = driver.pageableCopies();
            batch.beginUse();
            step.ask(batch);
            batch.endUse();
            assertThat(driver.pageableCopies()).isEqualTo(before);
        }
    }

    /** Each call of the driver fails once in a short training with a copy of its state and a restored one. */
    @Test
    void whicheverCallFailsNothingIsLeft() throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.SGD_NESTEROV);
        byte[] state;
        try (TrainStep step = training.open()) {
            training.train(step, 0, 1);
            state = Continuation.bytes(step);
        }
        boolean failed = true;
        for (int call = 1; failed; call++) {
            driver = StubDriver.fresh(1, 0);
            driver.failAt(call, StubDriver.UNKNOWN);
            Throwable thrown = null;
            try (CudaDevice device = StubDriver.rehearse(0);
                    TrainStep step = training.open(device)) {
                Continuation.restore(step, state);
                training.train(step, 1, 2, device);
                Continuation.bytes(step);
            } catch (RuntimeException e) {
                thrown = e;
            }
            failed = driver.hasFailed();
            driver.failAt(0, 0);
            driver.assertClean("when call " + call + " fails");
            if (failed) {
                assertThat(thrown).as("failure of call %d", call).hasStackTraceContaining("CUDA_ERROR_UNKNOWN");
            } else {
                assertThat(thrown).isNull();
            }
        }
    }
}
