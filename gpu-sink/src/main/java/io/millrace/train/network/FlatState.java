package io.millrace.train.network;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.DeviceMemory;
import io.millrace.device.EngineTensors;
import io.millrace.train.engine.TensorValues;
import io.millrace.train.engine.TrainingMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The weights, gradients and running statistics of a network, each kind in {@link Blocks} of the device's memory that
 * the engine's tensors view. Therefore one call updates all weights, and a copy of the blocks saves them. The gaps
 * between tensors stay zero under every optimizer of Millrace.
 *
 * <p>Tested by {@code DjlTrainStepTest}.
 */
public final class FlatState implements AutoCloseable {
    private final List<NamedTensor> parameters;
    private final List<NamedTensor> statistics;
    private final Blocks.Layout layout;
    private final TrainingMemory where;
    private final List<Blocks> owned = new ArrayList<>();
    private final Blocks weights;
    private final Blocks gradients;
    private final Blocks running;
    private final List<PtNDArray> flatWeights;
    private final List<PtNDArray> flatGradients;

    /**
     * Places the network's tensors.
     *
     * @param blockBytes the largest number of bytes of one block, see {@link Blocks.Layout}
     */
    public FlatState(Network network, TrainingMemory where, long seed, int blockBytes) {
        this.where = where;
        this.parameters = network.parameters();
        this.statistics = network.statistics();
        this.layout = new Blocks.Layout(parameters, blockBytes);
        try {
            this.weights = allocate(layout, "the weights");
            this.gradients = allocate(layout, "the gradients");
            this.running = allocate(new Blocks.Layout(statistics, blockBytes), "the running statistics");
            for (int i = 0; i < statistics.size(); i++) {
                statistics.get(i).place(running, i, seed, -1 - i);
            }
            place(seed);
            this.flatWeights = weights.vectors();
            this.flatGradients = gradients.vectors();
        } catch (RuntimeException | OutOfMemoryError e) {
            close();
            throw e;
        }
    }

    private Blocks allocate(Blocks.Layout places, String what) {
        Blocks blocks = new Blocks(places, where, what);
        owned.add(blocks);
        return blocks;
    }

    /**
     * Moves the parameters and their values into this memory. It is called at first, and again after the network has
     * exchanged its tensors.
     *
     * @param seed the seed of the parameters that have no values yet
     */
    public void place(long seed) {
        for (int i = 0; i < parameters.size(); i++) {
            parameters.get(i).place(weights, i, seed, i);
            viewGradient(i);
        }
    }

    /** Makes the engine sum a parameter's gradients in this memory from the first step on. */
    private void viewGradient(int i) {
        PtNDArray array = parameters.get(i).array();
        array.setRequiresGradient(true);
        // The first backward pass creates the gradient tensor. Any function can be used for that pass.
        JniUtils.setGradMode(true);
        try (PtNDArray sum = JniUtils.sum(array);
                NDArray one = sum.getManager().ones(new Shape())) {
            JniUtils.backward(sum, (PtNDArray) one, false, false);
        } finally {
            JniUtils.setGradMode(false);
        }
        try (NDArray gradient = array.getGradient()) {
            placeGradient((PtNDArray) gradient, i);
        }
    }

    private void placeGradient(PtNDArray gradient, int i) {
        try (PtNDArray there = gradients.array(i, gradient.getShape())) {
            EngineTensors.place(gradient, there);
        }
    }

    /** Returns all weights, block by block. */
    public List<PtNDArray> weights() {
        return flatWeights;
    }

    /** Returns all gradients, block by block, in the order of the weights. */
    public List<PtNDArray> gradients() {
        return flatGradients;
    }

    /** Returns the values that replicas average in a step, on the host; empty if the CPU cannot access them. */
    public List<ByteBuffer> shared() {
        return where.isHost()
                ? sharedMemory().stream()
                        .map(block -> block.slice(0, Math.toIntExact(block.bytes())))
                        .toList()
                : List.of();
    }

    /** Returns the memory that replicas average in a step: gradients and running statistics, block by block. */
    public List<DeviceMemory> sharedMemory() {
        List<DeviceMemory> shared = new ArrayList<>(gradients.memory());
        if (!statistics.isEmpty()) {
            shared.addAll(running.memory());
        }
        return shared;
    }

    /** Returns the places of the parameters, for other memory with the same layout. */
    public Blocks.Layout layout() {
        return layout;
    }

    public List<NamedTensor> parameters() {
        return parameters;
    }

    public List<NamedTensor> statistics() {
        return statistics;
    }

    /** Returns a view of a parameter's values on the host, not a copy. */
    public ByteBuffer parameter(int i) {
        return weights.tensor(i);
    }

    /** Returns a view of a running statistic's values on the host, not a copy. */
    public ByteBuffer statistic(int i) {
        return running.tensor(i);
    }

    /** Returns the values of all parameters in their order. */
    public List<TensorValues> parameterValues() {
        return weights.tensors();
    }

    /** Returns the values of all running statistics in their order. */
    public List<TensorValues> statisticValues() {
        return running.tensors();
    }

    /** Returns the values of all gradients in the parameters' order. */
    public List<TensorValues> gradientValues() {
        return gradients.tensors();
    }

    public long parameterCount() {
        return parameters.stream().mapToLong(NamedTensor::elements).sum();
    }

    public long statisticCount() {
        return statistics.stream().mapToLong(NamedTensor::elements).sum();
    }

    /** Frees the memory. The arrays that view it must be closed before. */
    @Override
    public void close() {
        owned.forEach(Blocks::close);
    }
}
