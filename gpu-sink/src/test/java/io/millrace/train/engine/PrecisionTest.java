package io.millrace.train.engine;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.train.Continuation;
import io.millrace.train.DjlTrainStep;
import io.millrace.train.RandomRows;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.spec.Tuning;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of a step's precision, which affects nothing after the step. */
public class PrecisionTest {
    /** The bits of a float32 that a bfloat16 does not have. */
    private static final int BELOW_BFLOAT16 = 0xffff;

    private static final RandomRows GRAY = new RandomRows(List.of(6, 6, 1), 3, Set.of());
    private static final RandomRows COLOR = new RandomRows(List.of(12, 12, 3), 3, Set.of());
    private static final Component MLP = part(Models.all(), "mlp", Map.of("hidden", List.of(32L), "classes", 3L));

    static Stream<Arguments> models() {
        return Stream.of(
                Arguments.of("mlp", GRAY, MLP),
                Arguments.of(
                        "convnet",
                        COLOR,
                        part(Models.all(), "convnet", Map.of("channels", List.of(8L, 16L), "classes", 3L))),
                Arguments.of(
                        "torchscript",
                        COLOR,
                        part(
                                Models.all(),
                                "torchscript",
                                Map.of("path", Vectors.file("plain.pt").toString(), "classes", 3L))));
    }

    private static Tuning tuning(Precision precision) {
        return Tuning.ofThreads(1).in(precision);
    }

    public static TrainSpec spec(RandomRows rows, Component model, Precision precision) {
        return new TrainSpec(
                new TrainData(rows.spec(), rows.equals(GRAY) ? TrainingFigures.GRAY : TrainingFigures.COLOR),
                new Recipe(
                        model,
                        TrainingFigures.CROSS_ENTROPY,
                        TrainingFigures.SGD_NESTEROV,
                        TrainingFigures.CONSTANT,
                        11),
                new RunLength(100, 1),
                tuning(precision));
    }

    /** The losses of steps on the same rows, and the parameters after them. */
    private record Outcome(double first, double last, String parameters) {
        static Outcome of(RandomRows rows, TrainSpec spec, int steps) {
            try (TrainStep step = TrainStep.open(spec, 24)) {
                double first = rows.train(step, 0, 0, 24);
                double last = first;
                for (int i = 1; i < steps; i++) {
                    last = rows.train(step, i, 0, 24);
                }
                return new Outcome(first, last, step.parametersSha256());
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("models")
    void bfloat16LearnsLikeFloat32(String name, RandomRows rows, Component model) {
        int steps = 40;
        Outcome exact = Outcome.of(rows, spec(rows, model, Precision.FLOAT32), steps);
        Outcome rounded = Outcome.of(rows, spec(rows, model, Precision.BFLOAT16), steps);

        assertThat(exact.last).isLessThan(0.95 * exact.first);
        assertThat(rounded.first)
                .isCloseTo(exact.first, within(0.02 * exact.first))
                .isNotEqualTo(exact.first);
        assertThat(rounded.last).isCloseTo(exact.last, within(0.1 * exact.first));
        assertThat(rounded.parameters).isNotEqualTo(exact.parameters);
        assertThat(Outcome.of(rows, spec(rows, model, Precision.BFLOAT16), steps))
                .as("again, to the same bits")
                .isEqualTo(rounded);
        assertThat(Outcome.of(rows, spec(rows, model, Precision.FLOAT32), steps))
                .as("float32 afterwards on this thread")
                .isEqualTo(exact);
    }

    /**
     * The network's batch normalizations read bfloat16 and have float32 statistics. The pictures are single pixels
     * before the last convolution of stride 2, so that some taps of its filter never meet a pixel.
     */
    @Tag("slow")
    @Test
    void resNetOfTinyPicturesTrainsInBfloat16() {
        Component resnet = part(Models.all(), "resnet18", Map.of("classes", 3L));
        Outcome exact = Outcome.of(COLOR, spec(COLOR, resnet, Precision.FLOAT32), 2);
        Outcome rounded = Outcome.of(COLOR, spec(COLOR, resnet, Precision.BFLOAT16), 2);

        assertThat(rounded.first)
                .isCloseTo(exact.first, within(0.02 * exact.first))
                .isNotEqualTo(exact.first);
        assertThat(rounded.last).isFinite();
        for (int again = 0; again < 4; again++) {
            assertThat(Outcome.of(COLOR, spec(COLOR, resnet, Precision.BFLOAT16), 2))
                    .isEqualTo(rounded);
        }
    }

    @Test
    void outputsOfLayersAreRoundedToBfloat16AndTheLossIsNot() {
        try (PtNDManager manager = TrainingRuntime.open(1);
                ComputePrecision exact = ComputePrecision.open(tuning(Precision.FLOAT32), manager);
                ComputePrecision rounded = ComputePrecision.open(tuning(Precision.BFLOAT16), manager)) {
            PtNDArray x = (PtNDArray) manager.randomUniform(-1, 1, new Shape(5, 7));
            PtNDArray w = (PtNDArray) manager.randomUniform(-1, 1, new Shape(4, 7));
            PtNDArray b = (PtNDArray) manager.randomUniform(-1, 1, new Shape(4));
            float[] before = exact.compute(() -> JniUtils.linear(x, w, b)).toFloatArray();
            PtNDArray outputs = rounded.compute(() -> JniUtils.linear(x, w, b));
            float[] after = exact.compute(() -> JniUtils.linear(x, w, b)).toFloatArray();

            assertThat(outputs.getDataType()).isEqualTo(DataType.FLOAT32);
            assertThat(bitsBelow(outputs.toFloatArray())).as("of the rounded").isZero();
            assertThat(bitsBelow(before)).isPositive();
            assertThat(after).isEqualTo(before);
            assertThat(outputs.toFloatArray()).containsExactly(before, within(0.03f));
        }
    }

    private static long bitsBelow(float[] values) {
        long found = 0;
        for (float value : values) {
            found += (Float.floatToRawIntBits(value) & BELOW_BFLOAT16) == 0 ? 0 : 1;
        }
        return found;
    }

    @Test
    void failedNetworkLeavesFloat32() {
        try (PtNDManager manager = TrainingRuntime.open(1)) {
            Autocast autocast = new Autocast(manager);
            assertThatThrownBy(() -> autocast.compute(() -> {
                        throw new IllegalStateException(autocast.isEnabled() ? "inside" : "outside");
                    }))
                    .hasMessage("inside");
            assertThat(autocast.isEnabled()).isFalse();
        }
    }

    @Test
    void evaluationIsInTheSamePrecision() {
        try (TrainStep exact = TrainStep.open(spec(GRAY, MLP, Precision.FLOAT32), 24);
                TrainStep rounded = TrainStep.open(spec(GRAY, MLP, Precision.BFLOAT16), 24);
                DeviceBatch batch = new HostDevice().allocate(GRAY.spec(), 24)) {
            GRAY.fill(batch, 0, 0, 24);
            double expected = exact.evaluate(batch).lossSum();
            assertThat(rounded.evaluate(batch).lossSum())
                    .isNotEqualTo(expected)
                    .isCloseTo(expected, within(0.02 * expected));
        }
    }

    @Test
    void weightsStayFloat32AndContinueInAnotherPrecision() throws IOException {
        byte[] copied;
        try (DjlTrainStep step = new DjlTrainStep(spec(GRAY, MLP, Precision.BFLOAT16), 24)) {
            GRAY.train(step, 0, 0, 24, 24, 24);
            assertThat(step.state().parameters()).allMatch(slot -> slot.array().getDataType() == DataType.FLOAT32);
            assertThat(bitsBelow(Vectors.array(step.state().parameter(0).asFloatBuffer())))
                    .isPositive();
            copied = Continuation.bytes(step);
        }
        try (TrainStep step = TrainStep.open(spec(GRAY, MLP, Precision.FLOAT32), 24)) {
            Continuation.restore(step, copied);
            assertThat(Continuation.bytes(step)).isEqualTo(copied);
            assertThat(GRAY.train(step, 3, 72, 24)).isFinite();
        }
    }

    @Test
    void trainersInDifferentPrecisionsComputeAsAlone() throws Exception {
        TrainSpec exact = spec(GRAY, MLP, Precision.FLOAT32);
        TrainSpec rounded = spec(GRAY, MLP, Precision.BFLOAT16);
        Outcome exactAlone = Outcome.of(GRAY, exact, 60);
        Outcome roundedAlone = Outcome.of(GRAY, rounded, 60);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Future<Outcome>> beside = Arrays.asList(
                    threads.submit(() -> Outcome.of(GRAY, exact, 60)),
                    threads.submit(() -> Outcome.of(GRAY, rounded, 60)),
                    threads.submit(() -> Outcome.of(GRAY, rounded, 60)));
            assertThat(beside.get(0).get()).isEqualTo(exactAlone);
            assertThat(beside.get(1).get()).isEqualTo(roundedAlone);
            assertThat(beside.get(2).get()).isEqualTo(roundedAlone);
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void tf32IsRefusedOnTheHostWithTheAlternatives() {
        assertThatThrownBy(() -> TrainStep.open(spec(GRAY, MLP, Precision.TF32), 24))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining("tf32 is only available on CUDA devices")
                .hasMessageContaining("float32 or bfloat16");
    }
}
