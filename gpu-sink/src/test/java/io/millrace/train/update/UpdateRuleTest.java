package io.millrace.train.update;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.HostDevice;
import io.millrace.train.engine.TrainingMemory;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.network.FlatState;
import io.millrace.train.network.Initializer;
import io.millrace.train.network.LayerNetwork;
import io.millrace.train.network.NamedTensor;
import io.millrace.train.network.Network;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An optimizer and a layer that are written in Java against the public interfaces. */
class UpdateRuleTest {
    private static final int BLOCK_BYTES = 1 << 20;

    private PtNDManager manager;
    private TrainingMemory memory;
    private final List<Long> numbers = new ArrayList<>();

    /** Gradient descent whose velocity is the sum of all gradients. */
    private final class Summing implements Optimizer {
        @Override
        public double learningRate() {
            return 0.5;
        }

        @Override
        public int moments() {
            return 1;
        }

        @Override
        public Update prepare(UpdateTensors tensors) {
            return (number, rate) -> {
                numbers.add(number);
                for (int i = 0; i < tensors.weights().size(); i++) {
                    NDArray velocity =
                            tensors.moment(0).get(i).addi(tensors.gradients().get(i));
                    tensors.weights().get(i).subi(velocity.mul(rate));
                }
            };
        }
    }

    @BeforeEach
    void open() {
        manager = TrainingRuntime.open(1);
        memory = new TrainingMemory(new HostDevice(), manager);
    }

    @AfterEach
    void close() {
        memory.close();
        manager.close();
    }

    /** A network that multiplies each of two values by a parameter. */
    private static LayerNetwork scaling() {
        LayerNetwork.Builder network = new LayerNetwork.Builder();
        NamedTensor factors = network.parameter("factors", Initializer.ONES, 2);
        return network.add((x, mode) -> x.mul(factors.array())).build(2);
    }

    private void addGradients(Network network, float first, float second) {
        try (PtNDManager step = (PtNDManager) manager.newSubManager()) {
            JniUtils.setGradMode(true);
            PtNDArray outputs = network.forward(
                    new NDList(step.create(new float[] {first, second}, new Shape(1, 2))), Network.Mode.TRAIN);
            JniUtils.backward(outputs.sum(), (PtNDArray) step.ones(new Shape()), false, false);
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    @Test
    void optimizerInJavaUpdatesWeightsAndMomentsAndItsTensorsAreFreed() {
        LayerNetwork network = scaling();
        try (FlatState state = new FlatState(network, memory, 7, BLOCK_BYTES);
                UpdateRule rule = new UpdateRule(new Summing(), state, memory)) {
            addGradients(network, 2, -3);
            rule.update(0.5);
            assertThat(values(state)).containsExactly(1 - 0.5f * 2, 1 + 0.5f * 3);
            int before = manager.getManagedArrays().size();
            addGradients(network, 1, 1);
            rule.update(0.25);
            assertThat(values(state)).containsExactly(-0.25f * 3, 2.5f + 0.25f * 2);
            assertThat(manager.getManagedArrays()).hasSize(before);
            assertThat(numbers).containsExactly(1L, 2L);
            assertThat(rule.moments()).isOne();
            assertThat(rule.updates()).isEqualTo(2);
            rule.moment(0).get(0).read(bytes -> assertThat(bytes.asFloatBuffer())
                    .isEqualTo(FloatBuffer.wrap(new float[] {3, -2})));
        }
    }

    @Test
    void gradientsAreZeroAfterAnUpdateOfAnOptimizerInJava() {
        LayerNetwork network = scaling();
        try (FlatState state = new FlatState(network, memory, 7, BLOCK_BYTES);
                UpdateRule rule = new UpdateRule(new Summing(), state, memory)) {
            addGradients(network, 2, -3);
            rule.update(0);
            state.gradientValues().get(0).read(bytes -> assertThat(bytes.asFloatBuffer())
                    .isEqualTo(FloatBuffer.wrap(new float[2])));
        }
    }

    private static float[] values(FlatState state) {
        float[] values = new float[2];
        state.parameter(0).asFloatBuffer().get(values);
        return values;
    }
}
