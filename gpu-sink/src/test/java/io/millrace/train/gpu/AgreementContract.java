package io.millrace.train.gpu;

import static io.millrace.device.EngineUnderTest.ROUNDING;
import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.EngineUnderTest;
import io.millrace.device.HostDevice;
import io.millrace.train.Continuation;
import io.millrace.train.RandomRows;
import io.millrace.train.TestServices;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainingContinuesTest;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.state.SafeTensors;
import io.millrace.train.update.Optimizers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every model with every optimizer, trained on a device and on the host. Each training continues from copies of the
 * other's state.
 */
@ExtendWith(TestServices.class)
abstract class AgreementContract {
    private static final int STOP = 3;
    private static final int END = 6;

    /**
     * The share of weights that may differ. Adam divides a gradient by its own size. Where a gradient is 0 except for
     * rounding, the rounding decides the direction in which the weight moves. In the convnet, a relative change of the
     * pictures by 3e-7 moved one or two weights by up to 4e-3.
     */
    private static final double STRAYS = 0.02;

    @TempDir
    Path folder;

    private final EngineUnderTest engine;

    AgreementContract(EngineUnderTest engine) {
        this.engine = engine;
    }

    @AfterEach
    void nothingIsLeft() {
        engine.assertNothingLeft();
    }

    /** Returns the combinations that agree within rounding. */
    static Stream<Arguments> trainings() throws IOException {
        return TrainingContinuesTest.trainings().filter(training -> !drawsNumbers(training) && !amplifies(training));
    }

    static Stream<Arguments> trainingsThatDrawNumbers() throws IOException {
        return TrainingContinuesTest.trainings().filter(AgreementContract::drawsNumbers);
    }

    /** Returns the combinations that agree to the last bit or not at all, because they enlarge rounding. */
    static Stream<Arguments> trainingsThatAmplifyRounding() throws IOException {
        return TrainingContinuesTest.trainings().filter(AgreementContract::amplifies);
    }

    private static boolean drawsNumbers(Arguments training) {
        return training.get()[0].equals("torchscript with dropout");
    }

    /**
     * Returns whether a training enlarges rounding. Each of six tiny pictures ends as one pixel, and the batch
     * normalization uses only these six pixels. On the host, a relative change of the pictures by 3e-7 changed the
     * third step's loss by 0.03 to 0.8.
     */
    private static boolean amplifies(Arguments training) {
        return Set.of("resnet18", "small resnet").contains(training.get()[0]);
    }

    /** Each training continues from a copy of the other's state. */
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("io.millrace.train.gpu.AgreementContract#trainings")
    void hostAndDeviceAgreeAndContinueFromEachOthersCopies(
            String name, String optimizerName, String file, Component model, Component optimizer) throws IOException {
        HostDevice host = new HostDevice();
        Continuation training = Continuation.of(file, model, optimizer);
        Stopped atHost = stopped(training, host);
        Ended stayed = continueFrom(training, atHost, host, "stayed");
        try (CudaDevice device = engine.open()) {
            Stopped atDevice = stopped(training, device);
            assertClose(atDevice.losses, atHost.losses);
            double strays = engine.computesAsTheHost() || optimizerName.startsWith("sgd") ? 0 : STRAYS;
            assertClose(continueFrom(training, atDevice, host, "back"), stayed, strays);
            assertClose(continueFrom(training, atHost, device, "there"), stayed, strays);
        }
    }

    /** A device's random numbers depend on the step too, and not on earlier draws. */
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("io.millrace.train.gpu.AgreementContract#trainingsThatDrawNumbers")
    void deviceThatDrawsNumbersContinuesFromItsCopy(
            String name, String optimizerName, String file, Component model, Component optimizer) throws IOException {
        Continuation training = Continuation.of(file, model, optimizer);
        try (CudaDevice device = engine.open()) {
            Ended stayed;
            Stopped stopped;
            try (TrainStep step = training.open(device)) {
                stopped = new Stopped(training.train(step, 0, STOP, device), step);
                stayed = new Ended(training.train(step, STOP, END, device), step, folder, "stayed");
            }
            assertClose(
                    continueFrom(training, stopped, device, "continued"),
                    stayed,
                    engine.computesAsTheHost() ? 0 : STRAYS);
            assertThat(continueFrom(training.seeded(12), stopped, device, "with other numbers").losses)
                    .isNotEqualTo(stayed.losses);
            continueFrom(training, stopped, new HostDevice(), "back");
        }
    }

    /** A training at the step where it was stopped. */
    private static final class Stopped {
        private final List<Double> losses;
        private final byte[] state;
        private final String sha256;

        Stopped(List<Double> losses, TrainStep step) throws IOException {
            this.losses = losses;
            this.state = Continuation.bytes(step);
            this.sha256 = step.parametersSha256();
        }
    }

    /** The results of a training after that step, with its weights by name where they are known. */
    private record Ended(List<Double> losses, Map<String, float[]> weights) {
        Ended(List<Double> losses, TrainStep step, Path folder, String run) throws IOException {
            this(losses, AgreementContract.weights(step, Files.createDirectories(folder.resolve(run))));
        }
    }

    private static Stopped stopped(Continuation training, Device device) throws IOException {
        try (TrainStep step = training.open(device)) {
            return new Stopped(training.train(step, 0, STOP, device), step);
        }
    }

    private Ended continueFrom(Continuation training, Stopped stopped, Device device, String run) throws IOException {
        try (TrainStep step = training.open(device)) {
            Continuation.restore(step, stopped.state);
            assertThat(step.parametersSha256()).as("what was restored").isEqualTo(stopped.sha256);
            if (engine.computesAsTheHost()
                    || !training.spec().recipe().model().name().equals("torchscript")) {
                // A module of TorchScript is written with the name of its device.
                assertThat(Continuation.bytes(step))
                        .as("a copy of what was restored")
                        .isEqualTo(stopped.state);
            }
            return new Ended(training.train(step, STOP, END, device), step, folder, run);
        }
    }

    private static Map<String, float[]> weights(TrainStep step, Path into) throws IOException {
        step.save(into);
        Map<String, float[]> values = new TreeMap<>();
        if (Files.exists(into.resolve("model.safetensors"))) {
            SafeTensors.read(into.resolve("model.safetensors"))
                    .forEach((name, tensor) ->
                            values.put(name, Vectors.array(tensor.values().asFloatBuffer())));
        }
        return values;
    }

    /** Asserts that losses are close. Steps without a loss have NaN. */
    static void assertClose(List<Double> found, List<Double> expected) {
        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            if (!Double.isNaN(expected.get(i)) || !Double.isNaN(found.get(i))) {
                assertThat(found.get(i)).as("loss of step %d", i).isCloseTo(expected.get(i), within(ROUNDING));
            }
        }
    }

    /** Asserts that weights are close, except for a share of {@code strays}. */
    private static void assertClose(Ended found, Ended expected, double strays) {
        assertClose(found.losses, expected.losses);
        assertThat(found.weights.keySet()).isEqualTo(expected.weights.keySet());
        int all = 0;
        List<String> apart = new ArrayList<>();
        for (var weight : expected.weights.entrySet()) {
            float[] values = weight.getValue();
            float[] other = Objects.requireNonNull(found.weights.get(weight.getKey()));
            assertThat(other).hasSameSizeAs(values);
            all += values.length;
            for (int i = 0; i < values.length; i++) {
                if (!(Math.abs((double) values[i] - other[i]) < ROUNDING)) {
                    apart.add(weight.getKey() + "[" + i + "]: " + other[i] + ", expected " + values[i]);
                }
            }
        }
        assertThat(apart).as("weights that differ, of %d", all).hasSizeLessThanOrEqualTo((int) (strays * all));
    }

    static Stream<Arguments> gentleOptimizers() {
        return Stream.of(
                Arguments.of(part(
                        Optimizers.all(), "sgd", Map.of("learning_rate", 1e-4, "momentum", 0.9, "nesterov", true))),
                Arguments.of(part(Optimizers.all(), "adamw", Map.of("learning_rate", 1e-5))));
    }

    /** The pictures are so large and the steps so small that rounding on the host changes the results by only 5e-7. */
    @Tag("slow")
    @ParameterizedTest
    @MethodSource("io.millrace.train.gpu.AgreementContract#gentleOptimizers")
    void resNetLearnsAsOnTheHost(Component optimizer) {
        RandomRows rows = new RandomRows(List.of(48, 48, 3), 3, Set.of());
        TrainSpec spec = TrainingFigures.spec(
                rows.spec(), TrainingFigures.COLOR, part(Models.all(), "resnet18", Map.of("classes", 3L)), optimizer);
        List<Double> expected = losses(rows, spec, new HostDevice());
        try (CudaDevice device = engine.open()) {
            assertClose(losses(rows, spec, device), expected);
        }
        assertThat(expected).doesNotHaveDuplicates();
    }

    private static List<Double> losses(RandomRows rows, TrainSpec spec, Device device) {
        int batch = 8;
        List<Double> losses = new ArrayList<>();
        try (TrainStep step = TrainStep.open(spec, batch, device)) {
            for (int i = 0; i < STOP; i++) {
                losses.add(rows.train(device, step, i, i * batch, batch));
            }
        }
        return losses;
    }
}
