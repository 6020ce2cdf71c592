package io.millrace.train;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.AlignedMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The weights, gradients and running statistics of a network, each kind in one block of memory of ours that the
 * engine's tensors view. So one call updates all weights, and saving them is copying the blocks.
 *
 * <p>Every tensor starts at a multiple of 64 bytes; the gaps hold zeros and stay zero under every optimizer.
 */
final class FlatState implements AutoCloseable {
    private static final int FLOATS_ALIGNED = AlignedMemory.ALIGNMENT / Float.BYTES;

    private final List<Slot> parameters;
    private final List<Slot> statistics;
    private final int[] offsets;
    private final int[] statisticsOffsets;
    private final AlignedMemory weights;
    private final AlignedMemory gradients;
    private final AlignedMemory running;
    private final PtNDArray flatWeights;
    private final PtNDArray flatGradients;

    /** Places the network's tensors; arrays are made in {@code manager}, which is closed before this is. */
    FlatState(Network network, PtNDManager manager, long seed) {
        this.parameters = network.parameters();
        this.statistics = network.statistics();
        this.offsets = offsets(parameters);
        this.statisticsOffsets = offsets(statistics);
        List<AlignedMemory> allocated = new ArrayList<>();
        try {
            this.weights = allocate(allocated, offsets, "the weights");
            this.gradients = allocate(allocated, offsets, "the gradients");
            this.running = allocate(allocated, statisticsOffsets, "the running statistics");
            for (int i = 0; i < parameters.size(); i++) {
                parameters.get(i).place(bytes(weights, parameters, offsets, i), manager, seed, i);
                viewGradient(i);
            }
            for (int i = 0; i < statistics.size(); i++) {
                statistics.get(i).place(bytes(running, statistics, statisticsOffsets, i), manager, seed, -1 - i);
            }
            this.flatWeights = flat(weights, manager);
            this.flatGradients = flat(gradients, manager);
        } catch (RuntimeException | OutOfMemoryError e) {
            allocated.forEach(AlignedMemory::close);
            throw e;
        }
    }

    /** Moves parameters that their network has exchanged into this memory, with their values. */
    void placeAgain(PtNDManager manager) {
        for (int i = 0; i < parameters.size(); i++) {
            parameters.get(i).place(bytes(weights, parameters, offsets, i), manager, 0, i);
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
            gradient.set(bytes(gradients, parameters, offsets, i));
        }
    }

    private static int[] offsets(List<Slot> slots) {
        int[] offsets = new int[slots.size() + 1];
        for (int i = 0; i < slots.size(); i++) {
            int size = slots.get(i).size();
            offsets[i + 1] = Math.addExact(offsets[i], (size + FLOATS_ALIGNED - 1) / FLOATS_ALIGNED * FLOATS_ALIGNED);
        }
        return offsets;
    }

    private static AlignedMemory allocate(List<AlignedMemory> allocated, int[] offsets, String what) {
        AlignedMemory memory = AlignedMemory.allocate((long) offsets[offsets.length - 1] * Float.BYTES, what);
        allocated.add(memory);
        return memory;
    }

    private static ByteBuffer bytes(AlignedMemory memory, List<Slot> slots, int[] offsets, int i) {
        return memory.slice(offsets[i] * Float.BYTES, slots.get(i).size() * Float.BYTES);
    }

    private static PtNDArray flat(AlignedMemory memory, PtNDManager manager) {
        return manager.create(memory.buffer(), new Shape(memory.bytes() / Float.BYTES), DataType.FLOAT32);
    }

    /** All weights as one vector. */
    PtNDArray weights() {
        return flatWeights;
    }

    /** All gradients as one vector, in the order of the weights. */
    PtNDArray gradients() {
        return flatGradients;
    }

    List<Slot> parameters() {
        return parameters;
    }

    List<Slot> statistics() {
        return statistics;
    }

    /** A parameter's values: our memory, not a copy. */
    ByteBuffer parameter(int i) {
        return bytes(weights, parameters, offsets, i);
    }

    /** A running statistic's values: our memory, not a copy. */
    ByteBuffer statistic(int i) {
        return bytes(running, statistics, statisticsOffsets, i);
    }

    /** The values of all parameters in memory as long as the weights, in their order. */
    List<ByteBuffer> parameters(AlignedMemory memory) {
        return IntStream.range(0, parameters.size())
                .mapToObj(i -> bytes(memory, parameters, offsets, i))
                .toList();
    }

    /** All parameters' values in their order: our memory, not a copy. */
    List<ByteBuffer> weightValues() {
        return parameters(weights);
    }

    /** All running statistics' values in their order: our memory, not a copy. */
    List<ByteBuffer> statisticValues() {
        return IntStream.range(0, statistics.size()).mapToObj(this::statistic).toList();
    }

    long statisticCount() {
        return statistics.stream().mapToLong(Slot::size).sum();
    }

    long parameterCount() {
        return parameters.stream().mapToLong(Slot::size).sum();
    }

    /** Frees the memory; the arrays on it are closed already. */
    @Override
    public void close() {
        weights.close();
        gradients.close();
        running.close();
    }
}
