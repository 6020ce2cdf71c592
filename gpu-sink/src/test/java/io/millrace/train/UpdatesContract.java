package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineUnderTest;
import io.millrace.device.HostDevice;
import io.millrace.sample.Split;
import io.millrace.train.network.Models;
import io.millrace.train.spec.GpuKernels;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import io.millrace.train.spec.Updates;
import io.millrace.train.state.ModelState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Updates of several batches and with clipped gradients on a device, compared with the host. */
public abstract class UpdatesContract {
    private static final RandomRows ROWS = new RandomRows(List.of(12, 12, 3), 3, Set.of(4, 30));
    private static final int[] SIZES = {16, 16, 16, 16, 5};

    private final EngineUnderTest engine;

    protected UpdatesContract(EngineUnderTest engine) {
        this.engine = engine;
    }

    @AfterEach
    void nothingIsLeft() {
        engine.assertNothingLeft();
    }

    private static TrainSpec spec(Updates updates, Precision precision) {
        return spec(updates, Tuning.ofThreads(1).in(precision));
    }

    private static TrainSpec spec(Updates updates, Tuning tuning) {
        return new TrainSpec(
                        new TrainData(ROWS.spec(), TrainingFigures.COLOR),
                        new Recipe(
                                part(Models.all(), "convnet", Map.of("channels", List.of(4L, 8L), "classes", 3L)),
                                TrainingFigures.CROSS_ENTROPY,
                                TrainingFigures.SGD_NESTEROV,
                                TrainingFigures.CONSTANT,
                                11),
                        new RunLength(SIZES.length, 2),
                        tuning)
                .with(updates);
    }

    static Stream<Arguments> updates() {
        return Stream.of(
                Arguments.of(new Updates(3, null), Precision.FLOAT32, 1e-5f),
                Arguments.of(new Updates(1, 0.5), Precision.FLOAT32, 1e-5f),
                Arguments.of(new Updates(2, 0.5), Precision.BFLOAT16, 5e-3f));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("io.millrace.train.UpdatesContract#updates")
    void parametersEqualTheHosts(Updates updates, Precision precision, float tolerance) {
        TrainSpec spec = spec(updates, precision);
        float[] expected;
        try (DjlTrainStep host = new DjlTrainStep(spec, 16)) {
            ROWS.train(host, 0, 0, SIZES);
            expected = AccumulationTest.parameters(host);
        }
        try (Device device = engine.open()) {
            try (DjlTrainStep step = new DjlTrainStep(spec, 16, device)) {
                ROWS.train(device, step, 0, 0, SIZES);
                assertThat(AccumulationTest.parameters(step))
                        .containsExactly(expected, within((float) engine.within(tolerance)));
            }
        }
    }

    @Test
    void begunUpdateContinuesFromACopyOnADevice() throws IOException {
        TrainSpec spec = spec(new Updates(4, 1.0), Precision.FLOAT32);
        try (Device device = engine.open()) {
            byte[] copied;
            float[] undisturbed;
            String digest;
            try (DjlTrainStep step = new DjlTrainStep(spec, 16, device)) {
                ROWS.train(device, step, 0, 0, 16, 16);
                copied = Continuation.bytes(step);
                ROWS.train(device, step, 2, 32, 16, 16, 5);
                undisturbed = AccumulationTest.parameters(step);
                digest = step.parametersSha256();
            }
            try (DjlTrainStep step = new DjlTrainStep(spec, 16, device)) {
                Continuation.restore(step, copied);
                assertThat(Continuation.bytes(step)).isEqualTo(copied);
                ROWS.train(device, step, 2, 32, 16, 16, 5);
                assertThat(AccumulationTest.parameters(step))
                        .containsExactly(undisturbed, within((float) engine.within(0)));
                if (engine.computesAsTheHost()) {
                    assertThat(step.parametersSha256()).isEqualTo(digest);
                }
            }
        }
    }

    /** A GPU needs {@code GpuKernels.REPRODUCIBLE}, and cuBLAS needs {@code CUBLAS_WORKSPACE_CONFIG=:4096:8}. */
    @Test
    void reproducibleKernelsRepeatTheSameBitsAlsoFromACopy() throws IOException {
        TrainSpec spec = spec(
                new Updates(2, 1.0),
                new Tuning(1, MemoryFormat.CHANNELS_LAST, Precision.FLOAT32, GpuKernels.REPRODUCIBLE));
        try (Device device = engine.open()) {
            byte[] copied;
            String digest;
            try (DjlTrainStep step = new DjlTrainStep(spec, 16, device)) {
                ROWS.train(device, step, 0, 0, 16, 16, 16);
                copied = Continuation.bytes(step);
                ROWS.train(device, step, 3, 48, 16, 5);
                digest = step.parametersSha256();
            }
            try (DjlTrainStep step = new DjlTrainStep(spec, 16, device)) {
                ROWS.train(device, step, 0, 0, 16, 16, 16);
                assertThat(Continuation.bytes(step)).isEqualTo(copied);
            }
            try (DjlTrainStep step = new DjlTrainStep(spec, 16, device)) {
                Continuation.restore(step, copied);
                ROWS.train(device, step, 3, 48, 16, 5);
                assertThat(step.parametersSha256()).isEqualTo(digest);
            }
        }
    }

    /** A device keeps its count until the number is needed, for example for a copy of the state. */
    @Test
    void ignoredPixelsDoNotCountOnADevice() throws IOException {
        TrainSpec spec = AccumulationTest.segmenting(3, 3);
        List<List<Integer>> batches = List.of(List.of(0), List.of(1, 2, 3), List.of(4, 5));
        byte[] expectedCopy;
        float[] expected;
        try (DjlTrainStep host = new DjlTrainStep(spec, 6)) {
            segment(host, new HostDevice(), batches.subList(0, 2), 0);
            expectedCopy = header(host);
            segment(host, new HostDevice(), batches.subList(2, 3), 2);
            expected = AccumulationTest.parameters(host);
        }
        try (Device device = engine.open()) {
            byte[] copied;
            try (DjlTrainStep step = new DjlTrainStep(spec, 6, device)) {
                segment(step, device, batches.subList(0, 2), 0);
                assertThat(header(step)).isEqualTo(expectedCopy);
                copied = Continuation.bytes(step);
                segment(step, device, batches.subList(2, 3), 2);
                assertThat(AccumulationTest.parameters(step))
                        .containsExactly(expected, within((float) engine.within(1e-6)));
            }
            try (DjlTrainStep step = new DjlTrainStep(spec, 6, device)) {
                Continuation.restore(step, copied);
                segment(step, device, batches.subList(2, 3), 2);
                assertThat(AccumulationTest.parameters(step))
                        .containsExactly(expected, within((float) engine.within(1e-6)));
                segment(step, device, batches, 3);
                assertThat(AccumulationTest.parameters(step)).isNotEqualTo(expected);
            }
        }
    }

    private static void segment(DjlTrainStep step, Device device, List<List<Integer>> batches, int first)
            throws IOException {
        FieldRows rows = new FieldRows(Vectors.read("fields.safetensors"));
        try (DeviceBatch batch =
                device.allocate(AccumulationTest.segmenting(1, 1).data().input(), 6)) {
            for (int i = 0; i < batches.size(); i++) {
                rows.fill(batch, first + i, Split.TRAIN, batches.get(i));
                batch.beginUse();
                step.train(batch);
                batch.endUse();
            }
        }
    }

    private static byte[] header(DjlTrainStep step) {
        try (ModelState state = step.snapshot()) {
            return StateHeader.read(state.chunks()).json();
        }
    }
}
