package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.sample.Split;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import io.millrace.train.spec.Updates;
import io.millrace.train.state.ModelState;
import io.millrace.train.update.Accumulation;
import io.millrace.train.update.Schedules;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Updates of several batches, compared with updates of proportionally larger batches. */
public class AccumulationTest {
    /** The tolerance for sums in another order. Adam's division by small moments enlarges their difference. */
    private static final float ROUNDING = 1e-5f;

    private static final List<Integer> GRAY = List.of(6, 6, 1);
    private static final List<Integer> COLOR = List.of(9, 8, 3);
    private static final Component MLP = part(Models.all(), "mlp", Map.of("hidden", List.of(16L, 8L), "classes", 3L));
    private static final Component COSINE = part(Schedules.all(), "cosine", Map.of("warm_up", 2L));

    private static Component plain() {
        return part(
                Models.all(),
                "torchscript",
                Map.of("path", Vectors.file("plain.pt").toString(), "classes", 3L));
    }

    private static TrainSpec spec(
            RandomRows rows, Component model, Component optimizer, int stepsPerEpoch, int accumulate) {
        return new TrainSpec(
                        new TrainData(
                                rows.spec(), rows.shape().equals(GRAY) ? TrainingFigures.GRAY : TrainingFigures.COLOR),
                        new Recipe(model, TrainingFigures.CROSS_ENTROPY, optimizer, COSINE, 11),
                        new RunLength(stepsPerEpoch, 3),
                        Tuning.ofThreads(1))
                .with(new Updates(accumulate, null));
    }

    /** Returns all parameters, one after another. */
    public static float[] parameters(DjlTrainStep step) {
        FloatBuffer all = FloatBuffer.allocate(Math.toIntExact(step.parameterCount()));
        step.state().parameterValues().forEach(values -> values.read(bytes -> all.put(floats(bytes))));
        return all.array();
    }

    private static FloatBuffer floats(ByteBuffer bytes) {
        return bytes.order(ByteOrder.nativeOrder()).asFloatBuffer();
    }

    static Stream<Arguments> trainings() {
        return Stream.of(
                Arguments.of("mlp, sgd", GRAY, MLP, TrainingFigures.SGD_NESTEROV),
                Arguments.of("mlp, adam", GRAY, MLP, TrainingFigures.ADAM),
                Arguments.of("torchscript, sgd", COLOR, plain(), TrainingFigures.SGD_NESTEROV),
                Arguments.of("torchscript, adamw", COLOR, plain(), TrainingFigures.ADAMW));
    }

    /** Epochs of 135 rows in batches of 64, 64 and 7, with some bad rows, and a batch of 16 that has only bad rows. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("trainings")
    void fourBatchesOfSixteenLearnAsOneOfSixtyFour(
            String name, List<Integer> shape, Component model, Component optimizer) {
        Set<Integer> bad = IntStream.concat(IntStream.of(3, 17, 18, 40, 130, 140), IntStream.range(183, 199))
                .boxed()
                .collect(Collectors.toUnmodifiableSet());
        RandomRows rows = new RandomRows(shape, 3, bad);
        try (DjlTrainStep large = new DjlTrainStep(spec(rows, model, optimizer, 3, 1), 64);
                DjlTrainStep small = new DjlTrainStep(spec(rows, model, optimizer, 9, 4), 16)) {
            float[] first = parameters(large);
            for (int epoch = 0; epoch < 3; epoch++) {
                rows.train(large, 3 * epoch, 135 * epoch, 64, 64, 7);
                rows.train(small, 9 * epoch, 135 * epoch, 16, 16, 16, 16, 16, 16, 16, 16, 7);
                assertThat(parameters(small))
                        .as("after epoch %d", epoch)
                        .containsExactly(parameters(large), within(ROUNDING));
            }
            float[] last = parameters(large);
            double most = IntStream.range(0, last.length)
                    .mapToDouble(i -> Math.abs(last[i] - first[i]))
                    .max()
                    .orElseThrow();
            assertThat(most).as("what training changes").isGreaterThan(100 * ROUNDING);
        }
    }

    @Test
    void parametersStayUntilTheUpdateIsComplete() {
        RandomRows rows = new RandomRows(GRAY, 3, Set.of());
        try (DjlTrainStep step = new DjlTrainStep(spec(rows, MLP, TrainingFigures.ADAM, 6, 4), 16)) {
            String before = step.parametersSha256();
            rows.train(step, 0, 0, 16, 16, 16);
            assertThat(step.parametersSha256()).isEqualTo(before);
            rows.train(step, 3, 48, 16);
            assertThat(step.parametersSha256()).isNotEqualTo(before);
        }
    }

    @Test
    void updateWithoutRowsChangesNothing() {
        RandomRows rows =
                new RandomRows(GRAY, 3, IntStream.range(0, 32).boxed().collect(Collectors.toUnmodifiableSet()));
        try (DjlTrainStep step = new DjlTrainStep(spec(rows, MLP, TrainingFigures.ADAM, 6, 2), 16)) {
            String before = step.parametersSha256();
            rows.train(step, 0, 0, 16, 16);
            assertThat(step.parametersSha256()).isEqualTo(before);
            rows.train(step, 2, 32, 16, 16);
            assertThat(step.parametersSha256()).isNotEqualTo(before);
        }
    }

    /** The masks of the two batches have different shares of the ignored class, so pixels count, not rows. */
    @Test
    void ignoredPixelsDoNotCount() throws IOException {
        Vectors vectors = Vectors.read("fields.safetensors");
        FieldRows rows = new FieldRows(vectors);
        try (DjlTrainStep large = new DjlTrainStep(segmenting(1, 1), 6);
                DjlTrainStep small = new DjlTrainStep(segmenting(2, 2), 6);
                DeviceBatch batch =
                        new HostDevice().allocate(segmenting(1, 1).data().input(), 6)) {
            rows.fill(batch, 0, Split.TRAIN, List.of(0, 1, 2, 3, 4, 5));
            large.train(batch);
            rows.fill(batch, 0, Split.TRAIN, List.of(0));
            small.train(batch);
            rows.fill(batch, 1, Split.TRAIN, List.of(1, 2, 3, 4, 5));
            small.train(batch);
            assertThat(parameters(small)).containsExactly(parameters(large), within(1e-6f));
        }
    }

    /** Returns a training on masks with an ignored class. */
    public static TrainSpec segmenting(int stepsPerEpoch, int accumulate) {
        return new TrainSpec(
                        new TrainData(
                                new BatchSpec(List.of(FieldRows.BITS, FieldRows.MASK, FieldRows.IMAGE)),
                                new Roles(List.of("image"), "mask"),
                                List.of(part(DeviceTransforms.all(), "ToFloat", Map.of()))),
                        new Recipe(
                                part(
                                        Models.all(),
                                        "torchscript",
                                        Map.of(
                                                "path",
                                                Vectors.file("segment.pt").toString(),
                                                "classes",
                                                4L)),
                                part(Losses.all(), "cross_entropy", Map.of("ignore_index", 2L)),
                                TrainingFigures.SGD,
                                TrainingFigures.CONSTANT,
                                1),
                        new RunLength(stepsPerEpoch, 1),
                        Tuning.ofThreads(1))
                .with(new Updates(accumulate, null));
    }

    static Stream<Arguments> continued() {
        return Stream.of(
                Arguments.of("mlp", GRAY, MLP),
                Arguments.of(
                        "convnet",
                        COLOR,
                        part(Models.all(), "convnet", Map.of("channels", List.of(4L), "classes", 3L))),
                Arguments.of("torchscript", COLOR, plain()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("continued")
    void begunUpdateContinuesFromACopyWithTheSameBits(String name, List<Integer> shape, Component model)
            throws IOException {
        RandomRows rows = new RandomRows(shape, 3, Set.of(5, 20));
        TrainSpec spec = spec(rows, model, TrainingFigures.ADAM, 9, 4);
        for (int stop = 1; stop < 6; stop++) {
            byte[] copied;
            String undisturbed;
            try (TrainStep step = TrainStep.open(spec, 16)) {
                rows.train(step, 0, 0, IntStream.generate(() -> 16).limit(stop).toArray());
                copied = Continuation.bytes(step);
                rows.train(step, stop, 16 * stop, 16, 16, 16, 16);
                undisturbed = step.parametersSha256();
            }
            try (TrainStep step = TrainStep.open(spec, 16)) {
                Continuation.restore(step, copied);
                assertThat(Continuation.bytes(step)).as("a copy of the copy").isEqualTo(copied);
                rows.train(step, stop, 16 * stop, 16, 16, 16, 16);
                assertThat(step.parametersSha256()).as("stopped after %d", stop).isEqualTo(undisturbed);
            }
        }
    }

    @Test
    void onlyStatesWithinAnUpdateHaveGradientsAndVersion2() throws IOException {
        RandomRows rows = new RandomRows(GRAY, 3, Set.of());
        try (TrainStep step = TrainStep.open(spec(rows, MLP, TrainingFigures.ADAM, 6, 2), 16)) {
            int without = Continuation.bytes(step).length;
            rows.train(step, 0, 0, 16);
            try (ModelState state = step.snapshot()) {
                assertThat(StateHeader.read(state.chunks()).begun()).isEqualTo(new Accumulation.Begun(1, 2, 16, 16));
                assertThat(state.chunks()).anyMatch(chunk -> chunk.section().equals("gradients"));
            }
            rows.train(step, 1, 16, 16);
            try (ModelState state = step.snapshot()) {
                assertThat(StateHeader.read(state.chunks()).begun()).isEqualTo(Accumulation.Begun.NOTHING);
            }
            assertThat(Continuation.bytes(step)).hasSize(without);
        }
    }

    @Test
    void changedAccumulateEndsTheBegunUpdateAtItsOwnBoundary() throws IOException {
        RandomRows rows = new RandomRows(GRAY, 3, Set.of());
        TrainSpec given = spec(rows, MLP, TrainingFigures.SGD, 12, 4);
        TrainSpec ofFour =
                given.with(given.recipe().withSchedule(TrainingFigures.CONSTANT).withSeed(11));
        byte[] copied;
        String before;
        try (TrainStep step = TrainStep.open(ofFour, 16)) {
            rows.train(step, 0, 0, 16, 16, 16);
            copied = Continuation.bytes(step);
            before = step.parametersSha256();
        }
        String whole = after(rows, ofFour, copied);
        for (int accumulate : new int[] {2, 1}) {
            assertThat(after(rows, ofFour.with(new Updates(accumulate, null)), copied))
                    .isEqualTo(whole)
                    .isNotEqualTo(before);
        }
    }

    private static String after(RandomRows rows, TrainSpec spec, byte[] copied) throws IOException {
        try (TrainStep step = TrainStep.open(spec, 16)) {
            Continuation.restore(step, copied);
            rows.train(step, 3, 48, 16);
            return step.parametersSha256();
        }
    }
}
