package io.millrace.train.network;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.train.DjlTrainStep;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.spec.Component;
import io.millrace.train.update.Optimizers;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A comparison of the ResNets with those of torchvision 0.29.1. */
class ResNetsTest {
    private static final Component SGD = part(Optimizers.all(), "sgd", Map.of("learning_rate", 0.01));

    @ParameterizedTest
    @ValueSource(strings = {"resnet18", "resnet50"})
    void tensorsHaveTorchvisionsNamesShapesAndNumber(String model) throws IOException {
        Vectors vectors = Vectors.read("resnets.safetensors");
        JsonObject expected = JsonParser.parseString(Files.readString(Vectors.file("resnets.json")))
                .getAsJsonObject()
                .getAsJsonObject(model);
        List<NamedTensor> parameters = network(model, 7).parameters();
        assertThat(parameters).extracting(NamedTensor::name).containsExactlyElementsOf(expected.keySet());
        for (NamedTensor slot : parameters) {
            assertThat(slot.shape())
                    .as(slot.name())
                    .containsExactly(expected.getAsJsonArray(slot.name()).asList().stream()
                            .mapToLong(JsonElement::getAsLong)
                            .toArray());
        }
        assertThat(network(model, 1000).parameters().stream()
                        .mapToLong(NamedTensor::elements)
                        .sum())
                .isEqualTo(vectors.longs(model + ".parameters")[0]);
    }

    private static Network network(String model, int classes) {
        return model.equals("resnet18") ? ResNets.resnet18(3, classes) : ResNets.resnet50(3, classes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"resnet18", "resnet50"})
    void lossesWeightsAndStatisticsEqualTorchvision(String model) throws IOException {
        Vectors vectors = Vectors.read("resnets.safetensors");
        try (DjlTrainStep step = open(model, 7, vectors);
                DeviceBatch batch = new HostDevice().allocate(vectors.spec(), vectors.rows())) {
            FlatState state = step.state();
            String lastNorm = model.equals("resnet18") ? "bn2.weight" : "bn3.weight";
            for (int i = 0; i < state.parameters().size(); i++) {
                fillPattern(state.parameters().get(i), state.parameter(i).asFloatBuffer(), lastNorm);
            }
            double[] losses = vectors.doubles(model + ".losses");
            for (int i = 0; i < losses.length; i++) {
                vectors.fill(batch, i, 0, vectors.rows());
                assertThat(step.train(batch).loss()).as("loss of step %d", i).isCloseTo(losses[i], within(2e-4));
            }
            assertClose(step, vectors, model, "fc.weight");
            assertClose(step, vectors, model, "conv1.weight");
            assertClose(step, vectors, model, "bn1.running_mean");
            assertClose(step, vectors, model, "bn1.running_var");
        }
    }

    @Test
    void firstValuesOfConvolutionsAreHesNormal() throws IOException {
        try (DjlTrainStep step = open("resnet18", 7, Vectors.read("resnets.safetensors"))) {
            FlatState state = step.state();
            for (int i = 0; i < state.parameters().size(); i++) {
                NamedTensor slot = state.parameters().get(i);
                float[] values = Vectors.array(state.parameter(i).asFloatBuffer());
                if (slot.shape().length == 4) {
                    double deviation = Math.sqrt(2.0 / (slot.shape()[0] * slot.shape()[2] * slot.shape()[3]));
                    double found = Math.sqrt(sumOfSquares(values) / values.length);
                    // Five standard errors of the deviation of this number of normal values.
                    assertThat(found / deviation)
                            .as(slot.name())
                            .isCloseTo(1, within(5 / Math.sqrt(2.0 * values.length)));
                }
            }
        }
    }

    private static double sumOfSquares(float[] values) {
        double sum = 0;
        for (float value : values) {
            sum += (double) value * value;
        }
        return sum;
    }

    private static DjlTrainStep open(String model, long classes, Vectors vectors) {
        return new DjlTrainStep(
                TrainingFigures.spec(
                        vectors.spec(),
                        TrainingFigures.COLOR,
                        part(Models.all(), model, Map.of("classes", classes)),
                        SGD),
                vectors.rows());
    }

    /** Returns the numbers of the pattern in training_vectors.py, so that 100 MB of weights need no file. */
    private static void fillPattern(NamedTensor slot, FloatBuffer values, String lastNorm) {
        int size = Math.toIntExact(slot.elements());
        if (slot.shape().length > 1) {
            double scale = Math.sqrt(24.0 / ((double) size / slot.shape()[0]));
            for (int i = 0; i < size; i++) {
                values.put(i, (float) (number(i) * scale));
            }
        } else if (slot.name().equals("fc.bias")) {
            values.put(new float[size]);
        } else if (slot.name().startsWith("layer") && slot.name().endsWith(lastNorm)) {
            for (int i = 0; i < size; i++) {
                values.put(i, 0.2f);
            }
        }
    }

    private static double number(int index) {
        long mixed = index * 2654435761L & 0xffffffffL;
        for (int round = 0; round < 2; round++) {
            mixed ^= mixed >>> 16;
            mixed = mixed * 0x45d9f3bL & 0xffffffffL;
        }
        return (mixed ^ mixed >>> 16) / 4294967296.0 - 0.5;
    }

    private static void assertClose(DjlTrainStep step, Vectors vectors, String model, String name) {
        float[] expected = vectors.floats(model + "." + name);
        float[] found = values(step.state(), name);
        float largest = 0;
        for (float value : expected) {
            largest = Math.max(largest, Math.abs(value));
        }
        assertThat(found).as(name).containsExactly(expected, within(1e-4f * largest));
    }

    private static float[] values(FlatState state, String name) {
        for (int i = 0; i < state.parameters().size(); i++) {
            if (state.parameters().get(i).name().equals(name)) {
                return Vectors.array(state.parameter(i).asFloatBuffer());
            }
        }
        for (int i = 0; i < state.statistics().size(); i++) {
            if (state.statistics().get(i).name().equals(name)) {
                return Vectors.array(state.statistic(i).asFloatBuffer());
            }
        }
        throw new IllegalArgumentException(name);
    }
}
