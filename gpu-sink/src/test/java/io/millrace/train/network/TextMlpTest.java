package io.millrace.train.network;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.batch.BatchSpec;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import io.millrace.train.DjlTrainStep;
import io.millrace.train.FieldTrainingTest;
import io.millrace.train.Pending;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.engine.TensorValues;
import io.millrace.train.input.LabelOutOfRangeException;
import io.millrace.train.loss.Losses;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A comparison of the model {@code text_mlp} with torch 2.13.0, which gets each document alone. */
public class TextMlpTest {
    private static final Roles ROLES = new Roles(List.of("tokens", "lengths"), "labels");
    private static final List<BatchSpec.Column> COLUMNS = List.of(PackedRows.TOKENS, PackedRows.LENGTHS);

    @ParameterizedTest
    @ValueSource(strings = {"all", "masked"})
    void lossesWeightsAndEvaluationEqualTorchs(String name) throws IOException {
        assertEqualsTorchs(name, new HostDevice(), FieldTrainingTest.ROUNDING);
    }

    /** Trains on the vectors' batch and evaluates it. */
    public static void assertEqualsTorchs(String name, Device device, double rounding) throws IOException {
        Vectors vectors = Vectors.read("text_mlp.safetensors");
        TrainSpec spec = PackedRows.spec(name, PackedRows.VOCABULARY);
        try (DjlTrainStep step = new DjlTrainStep(spec, PackedRows.ROWS, device);
                DeviceBatch batch = device.allocate(spec.data().input(), PackedRows.ROWS)) {
            FlatState state = step.state();
            assertThat(state.parameters())
                    .extracting(NamedTensor::name)
                    .containsExactly("embedding.weight", "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias");
            for (int i = 0; i < state.parameters().size(); i++) {
                float[] values =
                        vectors.floats("initial." + state.parameters().get(i).name());
                state.parameterValues().get(i).write(buffer -> buffer.asFloatBuffer()
                        .put(values));
            }
            double[] losses = vectors.doubles(name + ".losses");
            for (int i = 0; i < losses.length; i++) {
                new PackedRows(vectors).fill(batch, i, Split.TRAIN);
                batch.beginUse();
                Pending<TrainStep.StepResult> pending = step.enqueue(batch);
                batch.endUse();
                assertThat(pending.result().loss()).as("loss of step %d", i).isCloseTo(losses[i], within(rounding));
            }
            new PackedRows(vectors).fill(batch, losses.length, Split.EVALUATE);
            batch.beginUse();
            TrainStep.EvaluationResult evaluation = step.evaluate(batch);
            batch.endUse();
            long[] correct = vectors.longs(name + ".evaluation.correct");
            assertThat(evaluation.correct()).isEqualTo(correct[0]);
            assertThat(evaluation.counted()).isEqualTo(correct[1]);
            assertThat(evaluation.lossSum() / evaluation.rows())
                    .isCloseTo(vectors.doubles(name + ".evaluation.loss")[0], within(rounding));
            List<TensorValues> found = state.parameterValues();
            for (int i = 0; i < found.size(); i++) {
                String parameter = state.parameters().get(i).name();
                float[] expected = vectors.floats(name + ".final." + parameter);
                float[] values = new float[expected.length];
                found.get(i).read(new Filling(values));
                assertThat(values).as(parameter).containsExactly(expected, within((float) rounding));
            }
        }
    }

    /** A reader of a tensor's pieces. */
    private static final class Filling implements Consumer<ByteBuffer> {
        private final float[] values;
        private int read;

        Filling(float[] values) {
            this.values = values;
        }

        @Override
        public void accept(ByteBuffer piece) {
            FloatBuffer floats = piece.asFloatBuffer();
            int count = floats.remaining();
            floats.get(values, read, count);
            read += count;
        }
    }

    @Test
    void tokenBeyondTheVocabularyIsReportedWithItsSampleAndPlace() throws IOException {
        TrainSpec spec = PackedRows.spec("all", 10);
        try (TrainStep step = TrainStep.open(spec, PackedRows.ROWS);
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), PackedRows.ROWS)) {
            new PackedRows(Vectors.read("text_mlp.safetensors")).fill(batch, 0, Split.TRAIN);
            assertThatThrownBy(() -> step.train(batch))
                    .isInstanceOf(LabelOutOfRangeException.class)
                    .hasMessageMatching(
                            "training sample \\d has class 10 at \\[\\d+] of 'tokens', but there are 10 classes:"
                                    + " expected 0 to 9");
        }
    }

    @Test
    void lossThatLeavesNothingOutIsRefusedWithTheRemedy() {
        for (String loss : List.of("cross_entropy", "binary_cross_entropy", "mean_squared_error")) {
            assertRefused(
                    PackedRows.spec(COLUMNS, ROLES, PackedRows.model(11), part(Losses.all(), loss, Map.of())),
                    "train.target 'labels' has no label for the last token of a document: expected a loss that leaves out a"
                            + " number, such as train.loss: {cross_entropy: {ignore_index: -100}}");
        }
    }

    @Test
    void otherInputsThanPackedSequencesAreRefused() {
        String sentence = "the model text_mlp needs two inputs, the tokens of packed sequences and the lengths of their"
                + " documents, found ";
        assertRefused(
                PackedRows.spec(
                        COLUMNS, new Roles(List.of("tokens"), "labels"), PackedRows.model(11), PackedRows.IGNORING),
                sentence + "'tokens' INT32[12]: set train.input to [tokens, lengths]");
        assertRefused(
                PackedRows.spec(
                        COLUMNS,
                        new Roles(List.of("lengths", "tokens"), "labels"),
                        PackedRows.model(11),
                        PackedRows.IGNORING),
                sentence + "'lengths' INT32[?]");
        assertRefused(
                TrainingFigures.spec(
                        new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(4, 4, 3)))),
                        List.of(),
                        PackedRows.model(11),
                        TrainingFigures.SGD),
                sentence + "'image' FLOAT32[4, 4, 3]");
    }

    @Test
    void targetThatTheModelReadsIsRefused() {
        assertRefused(
                PackedRows.spec(
                        COLUMNS,
                        new Roles(List.of("tokens", "lengths"), "tokens"),
                        PackedRows.model(11),
                        PackedRows.IGNORING),
                "train.target 'tokens' is also an input, so the model would learn to repeat it: expected another field, or"
                        + " labels for the next token of packed sequences");
    }

    @Test
    void labelsOfOtherFieldsThanPackedSequencesAreRefused() {
        Component mlp = part(Models.all(), "mlp", Map.of());
        BatchSpec.Column halves = new BatchSpec.Column("tokens", DType.FLOAT32, List.of(12));
        assertRefused(
                PackedRows.spec(
                        List.of(halves, PackedRows.LENGTHS),
                        new Roles(List.of("tokens"), "labels"),
                        mlp,
                        PackedRows.IGNORING),
                "train.target 'labels' is computed from 'tokens', which is FLOAT32[12]: expected whole numbers [length], as"
                        + " pack_sequences makes them");
        assertRefused(
                PackedRows.spec(
                        List.of(PackedRows.TOKENS), new Roles(List.of("tokens"), "labels"), mlp, PackedRows.IGNORING),
                "no field 'labels' in the batch, only [tokens]");
    }

    private static void assertRefused(TrainSpec spec, String sentence) {
        assertThatThrownBy(() -> TrainStep.open(spec, PackedRows.ROWS))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining(sentence);
    }
}
