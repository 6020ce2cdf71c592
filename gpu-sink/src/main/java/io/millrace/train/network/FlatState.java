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
 * The weights, gradients and running statistics of a network, each kind in {@link Blocks} of the device's memory that the
 * engine's tensors view. So one call updates all weights, and saving them is copying the blocks. The gaps between
 * tensors stay zero under every optimizer.
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
     * @param blockBytes the most of one block, see {@link Blocks.Layout}
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
     * Moves the parameters into this memory with their values: at first, and when their network has exchanged its tensors.
     *
     * @param seed for those that have no values yet
     */
    public void place(long seed) {
        for (int i = 0; i < parameters.size(); i++) {
            parameters.get(i).place(weights, i, seed, i);
            viewGradient(i);
        }
    }

    /** Makes the engine add a parameter's gradients up in our memory from the first step on. */
    private void viewGradient(int i) {
        PtNDArray array = parameters.get(i).array();
        array.setRequiresGradient(true);
        // The engine makes the gradient tensor in the first backward pass, whatever the function.
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

    /** All weights, block by block. */
    public List<PtNDArray> weights() {
        return flatWeights;
    }

    /** All gradients, block by block, in the order of the weights. */
    public List<PtNDArray> gradients() {
        return flatGradients;
    }

    /** What replicas average in a step, on the host: empty where the processor does not reach it. */
    public List<ByteBuffer> shared() {
        return where.isHost()
                ? sharedMemory().stream()
                        .map(block -> block.slice(0, Math.toIntExact(block.bytes())))
                        .toList()
                : List.of();
    }

    /** What replicas average in a step: gradients, and running statistics, block by block. */
    public List<DeviceMemory> sharedMemory() {
        List<DeviceMemory> shared = new ArrayList<>(gradients.memory());
        if (!statistics.isEmpty()) {
            shared.addAll(running.memory());
        }
        return shared;
    }

    /** Where the parameters lie, for memory beside them. */
    public Blocks.Layout layout() {
        return layout;
    }

    public List<NamedTensor> parameters() {
        return parameters;
    }

    public List<NamedTensor> statistics() {
        return statistics;
    }

    /** A parameter's values, on the host: our memory, not a copy. */
    public ByteBuffer parameter(int i) {
        return weights.tensor(i);
    }

    /** A running statistic's values, on the host: our memory, not a copy. */
    public ByteBuffer statistic(int i) {
        return running.tensor(i);
    }

    /** The values of all parameters in their order. */
    public List<TensorValues> parameterValues() {
        return weights.tensors();
    }

    /** The values of all running statistics in their order. */
    public List<TensorValues> statisticValues() {
        return running.tensors();
    }

    /** The values of all gradients in the parameters' order. */
    public List<TensorValues> gradientValues() {
        return gradients.tensors();
    }

    public long parameterCount() {
        return parameters.stream().mapToLong(NamedTensor::elements).sum();
    }

    public long statisticCount() {
        return statistics.stream().mapToLong(NamedTensor::elements).sum();
    }

    /** Frees the memory; the arrays on it are closed already. */
    @Override
    public void close() {
        owned.forEach(Blocks::close);
    }
}
