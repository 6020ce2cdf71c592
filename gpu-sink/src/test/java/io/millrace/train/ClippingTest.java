package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Updates;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A comparison of clipped gradients with Python's torch 2.13.0. The gradients of only some steps are clipped. */
class ClippingTest {
    private static final Component MLP = part(Models.all(), "mlp", Map.of("hidden", List.of(16L, 8L), "classes", 5L));

    static Stream<Arguments> clipped() {
        return Stream.of(
                Arguments.of("clipped_sgd", TrainingFigures.SGD, DjlTrainStep.BlockSizes.DEFAULT),
                Arguments.of("clipped_adamw", TrainingFigures.ADAMW, DjlTrainStep.BlockSizes.DEFAULT),
                Arguments.of(
                        "clipped_sgd", TrainingFigures.SGD, new DjlTrainStep.BlockSizes(64, StateChunk.MOST_BYTES)));
    }

    @ParameterizedTest(name = "{0}, {2}")
    @MethodSource("clipped")
    void weightsEqualTorchs(String name, Component optimizer, DjlTrainStep.BlockSizes sizes) throws IOException {
        Vectors vectors = Vectors.read(name + ".safetensors");
        TrainSpec spec = TrainingFigures.spec(vectors.spec(), TrainingFigures.GRAY, MLP, optimizer);
        double most = vectors.doubles("most")[0];
        try (DjlTrainStep step = new DjlTrainStep(spec.with(new Updates(1, most)), vectors.rows(), sizes);
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            DjlTrainStepTest.initialize(step, vectors);
            DjlTrainStepTest.train(step, batch, vectors);
            DjlTrainStepTest.assertWeights(step, vectors);
        }
    }

    @Test
    void gradientsBelowTheLimitStayUnchanged() throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        Continuation generous =
                new Continuation(training.vectors(), training.spec().with(new Updates(1, 1e6)));
        Continuation strict =
                new Continuation(training.vectors(), training.spec().with(new Updates(1, 1e-3)));
        try (TrainStep free = training.open();
                TrainStep under = generous.open();
                TrainStep over = strict.open()) {
            String unclipped = training.train(free, 0, 4);
            assertThat(training.train(under, 0, 4)).isEqualTo(unclipped);
            assertThat(training.train(over, 0, 4)).isNotEqualTo(unclipped);
        }
    }

    /**
     * The mean of several batches is clipped, not each batch. A single step of plain gradient descent then has the
     * length of the limit.
     */
    @Test
    void theWholeUpdateIsClipped() {
        RandomRows rows = new RandomRows(List.of(6, 6, 1), 5, Set.of());
        double most = 1e-3;
        TrainSpec spec = TrainingFigures.spec(rows.spec(), TrainingFigures.GRAY, MLP, TrainingFigures.SGD)
                .with(new Updates(3, most));
        try (DjlTrainStep step = new DjlTrainStep(spec, 8)) {
            float[] before = AccumulationTest.parameters(step);
            rows.train(step, 0, 0, 8, 8, 8);
            float[] after = AccumulationTest.parameters(step);
            double squares = 0;
            for (int i = 0; i < before.length; i++) {
                squares += Math.pow(after[i] - before[i], 2);
            }
            assertThat(Math.sqrt(squares)).isCloseTo(0.1 * most, within(1e-3 * most));
        }
    }
}
