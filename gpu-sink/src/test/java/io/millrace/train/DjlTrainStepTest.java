package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import io.millrace.train.input.LabelOutOfRangeException;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.FlatState;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A comparison of whole trainings with Python's torch 2.14.1 from the same first weights and inputs. */
public class DjlTrainStepTest {
    /**
     * The tolerance of a weight. On the machine that made the figures, all weights of the MLPs except one are equal to
     * the last bit. The convolutions of another version add in another order. Adam's division by small moments enlarges
     * that difference to 1.2e-6.
     */
    private static final float WEIGHT_TOLERANCE = 5e-6f;

    private static final Component SMALL_MLP =
            part(Models.all(), "mlp", Map.of("hidden", List.of(16L, 8L), "classes", 5L));
    private static final Component SMALL_CONVNET =
            part(Models.all(), "convnet", Map.of("channels", List.of(4L, 8L), "classes", 3L));

    static Stream<Arguments> trainings() {
        return Stream.of(
                Arguments.of("mlp_sgd", TrainingFigures.GRAY, SMALL_MLP, TrainingFigures.SGD),
                Arguments.of("mlp_sgd_nesterov", TrainingFigures.GRAY, SMALL_MLP, TrainingFigures.SGD_NESTEROV),
                Arguments.of("mlp_adam", TrainingFigures.GRAY, SMALL_MLP, TrainingFigures.ADAM),
                Arguments.of("mlp_adamw", TrainingFigures.GRAY, SMALL_MLP, TrainingFigures.ADAMW),
                Arguments.of(
                        "convnet_sgd_nesterov", TrainingFigures.COLOR, SMALL_CONVNET, TrainingFigures.SGD_NESTEROV),
                Arguments.of("convnet_adam", TrainingFigures.COLOR, SMALL_CONVNET, TrainingFigures.ADAM));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("trainings")
    void lossesWeightsAndStatisticsEqualTorch(
            String name, List<Component> transforms, Component model, Component optimizer) throws IOException {
        Vectors vectors = Vectors.read(name + ".safetensors");
        TrainSpec spec = TrainingFigures.spec(vectors.spec(), transforms, model, optimizer);
        try (DjlTrainStep step = new DjlTrainStep(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            initialize(step, vectors);
            train(step, batch, vectors);
            assertWeights(step, vectors);
            vectors.fill(batch, 0, 0, vectors.rows());
            TrainStep.EvaluationResult evaluation = step.evaluate(batch);
            assertThat(evaluation.lossSum()).isCloseTo(vectors.doubles("evaluation.loss_sum")[0], within(1e-4));
            assertThat(evaluation.correct()).isEqualTo(vectors.longs("evaluation.correct")[0]);
            assertThat(evaluation.rows()).isEqualTo(vectors.rows());
        }
    }

    @Test
    void meanSquaredErrorEqualsTorch() throws IOException {
        Vectors vectors = Vectors.read("mlp_mean_squared_error.safetensors");
        TrainSpec spec = TrainingFigures.spec(
                vectors.spec(),
                TrainingFigures.GRAY,
                part(Models.all(), "mlp", Map.of("hidden", List.of(8L), "classes", 1L)),
                part(Losses.all(), "mean_squared_error", Map.of()),
                TrainingFigures.SGD_NESTEROV);
        try (DjlTrainStep step = new DjlTrainStep(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            initialize(step, vectors);
            train(step, batch, vectors);
            assertWeights(step, vectors);
            vectors.fill(batch, 0, 0, vectors.rows());
            TrainStep.EvaluationResult evaluation = step.evaluate(batch);
            assertThat(evaluation.lossSum()).isCloseTo(vectors.doubles("evaluation.loss_sum")[0], within(1e-3));
            assertThat(evaluation.correct()).isEqualTo(-1);
        }
    }

    @Test
    void evaluationChangesNothing() throws IOException {
        Vectors vectors = Vectors.read("convnet_adam.safetensors");
        TrainSpec spec =
                TrainingFigures.spec(vectors.spec(), TrainingFigures.COLOR, SMALL_CONVNET, TrainingFigures.ADAM);
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            vectors.fill(batch, 0, 0, vectors.rows());
            step.train(batch);
            String before = step.parametersSha256();
            step.evaluate(batch);
            assertThat(step.parametersSha256()).isEqualTo(before);
            step.train(batch);
            assertThat(step.parametersSha256()).isNotEqualTo(before);
        }
    }

    @Test
    void labelOutOfRangeIsRefusedBeforeAnythingChanges() throws IOException {
        Vectors vectors = Vectors.read("mlp_adam.safetensors");
        TrainSpec spec = TrainingFigures.spec(
                vectors.spec(),
                TrainingFigures.GRAY,
                part(Models.all(), "mlp", Map.of("classes", 4L)),
                TrainingFigures.ADAM);
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            String before = step.parametersSha256();
            vectors.fill(batch, 0, 0, vectors.rows());
            assertThatThrownBy(() -> step.train(batch))
                    .isInstanceOf(LabelOutOfRangeException.class)
                    .hasMessageContaining("has label 4")
                    .hasMessageContaining("4 classes");
            assertThat(step.parametersSha256()).isEqualTo(before);
        }
    }

    @Test
    void batchWithoutRowsChangesNothing() throws IOException {
        Vectors vectors = Vectors.read("mlp_adam.safetensors");
        TrainSpec spec = TrainingFigures.spec(vectors.spec(), TrainingFigures.GRAY, SMALL_MLP, TrainingFigures.ADAM);
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            String before = step.parametersSha256();
            vectors.fill(batch, 0, 0, 0);
            assertThat(step.train(batch).loss()).isNaN();
            assertThat(step.evaluate(batch).rows()).isZero();
            assertThat(step.parametersSha256()).isEqualTo(before);
        }
    }

    @Test
    void stepsLeaveNoArraysBehind() throws IOException {
        Vectors vectors = Vectors.read("convnet_adam.safetensors");
        TrainSpec spec =
                TrainingFigures.spec(vectors.spec(), TrainingFigures.COLOR, SMALL_CONVNET, TrainingFigures.ADAM);
        try (DjlTrainStep step = new DjlTrainStep(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            NDManager manager = step.state().weights().get(0).getManager();
            vectors.fill(batch, 0, 0, vectors.rows());
            step.train(batch);
            step.evaluate(batch);
            int arrays = manager.getManagedArrays().size();
            for (int i = 0; i < 20; i++) {
                step.train(batch);
                step.evaluate(batch);
            }
            assertThat(manager.getManagedArrays()).hasSize(arrays);
        }
    }

    @Test
    void batchNormalizationOfASingleValueIsRefusedWithARemedy() {
        BatchSpec pixel = new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(1, 1, 3))));
        TrainSpec spec = TrainingFigures.spec(
                pixel,
                TrainingFigures.COLOR,
                part(Models.all(), "convnet", Map.of("channels", List.of(4L), "classes", 3L)),
                TrainingFigures.ADAM);
        try (TrainStep step = TrainStep.open(spec, 1);
                DeviceBatch batch = new HostDevice().allocate(pixel, 1);
                AlignedMemory row = AlignedMemory.allocate(3, "a row")) {
            batch.begin(0, 0, 0, Split.TRAIN, 1);
            batch.filling().put(0, 0, row.address());
            batch.filling().place(0, 0, 0, 1);
            batch.seal();
            assertThatThrownBy(() -> step.train(batch))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'bn1.weight'")
                    .hasMessageContaining("drop_last");
            assertThat(step.evaluate(batch).lossSum()).isFinite();
        }
    }

    @Test
    void firstParametersFollowTheSeed() throws IOException {
        Vectors vectors = Vectors.read("mlp_adam.safetensors");
        BatchSpec input = vectors.spec();
        TrainSpec spec = TrainingFigures.spec(input, TrainingFigures.GRAY, SMALL_MLP, TrainingFigures.ADAM);
        assertThat(firstParameters(spec))
                .isEqualTo(firstParameters(spec))
                .isNotEqualTo(firstParameters(seeded(spec, 12)));
    }

    private static TrainSpec seeded(TrainSpec spec, long seed) {
        return new TrainSpec(
                new TrainData(spec.data().input(), spec.data().transforms()),
                new Recipe(
                        spec.recipe().model(),
                        spec.recipe().loss(),
                        spec.recipe().optimizer(),
                        spec.recipe().schedule(),
                        seed),
                new RunLength(spec.length().stepsPerEpoch(), spec.length().epochs()),
                spec.tuning());
    }

    private static String firstParameters(TrainSpec spec) {
        try (TrainStep step = TrainStep.open(spec, 4)) {
            return step.parametersSha256();
        }
    }

    public static void initialize(DjlTrainStep step, Vectors vectors) {
        FlatState state = step.state();
        for (int i = 0; i < state.parameters().size(); i++) {
            String name = "initial." + state.parameters().get(i).name();
            state.parameter(i).put(vectors.tensor(name).values().duplicate());
        }
        for (int i = 0; i < state.statistics().size(); i++) {
            String name = "initial." + state.statistics().get(i).name();
            state.statistic(i).put(vectors.tensor(name).values().duplicate());
        }
    }

    /** Trains over the file's batches and compares each loss; the last bits may differ between versions of torch. */
    public static void train(TrainStep step, DeviceBatch batch, Vectors vectors) {
        double[] losses = vectors.doubles("losses");
        long[] sizes = vectors.longs("batches");
        int from = 0;
        for (int i = 0; i < sizes.length; i++) {
            int to = from + Math.toIntExact(sizes[i]);
            vectors.fill(batch, i, from, to);
            assertThat(step.train(batch).loss()).as("loss of step %d", i).isCloseTo(losses[i], within(1e-5));
            from = to;
        }
    }

    public static void assertWeights(DjlTrainStep step, Vectors vectors) {
        FlatState state = step.state();
        for (int i = 0; i < state.parameters().size(); i++) {
            assertClose(
                    Vectors.array(state.parameter(i).asFloatBuffer()),
                    vectors,
                    "final." + state.parameters().get(i).name());
        }
        for (int i = 0; i < state.statistics().size(); i++) {
            assertClose(
                    Vectors.array(state.statistic(i).asFloatBuffer()),
                    vectors,
                    "final." + state.statistics().get(i).name());
        }
    }

    private static void assertClose(float[] found, Vectors vectors, String name) {
        float[] expected = vectors.floats(name);
        assertThat(found).as(name).containsExactly(expected, within(WEIGHT_TOLERANCE));
    }
}
