package io.millrace.train.network;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceMemory;
import io.millrace.train.engine.TensorValues;
import io.millrace.train.engine.TrainingMemory;
import io.millrace.train.spec.TrainSpecException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Memory for the float32 values of a network's tensors, tensor after tensor. It is one block if a buffer can hold all of
 * them, otherwise several. Every tensor begins at a multiple of 64 bytes; the gaps hold zeros. Owns the memory.
 */
public final class Blocks implements AutoCloseable {
    /** The place of each tensor, which is the same in all memory for the same tensors. */
    public static final class Layout {
        /** The largest number of bytes that a buffer can hold, in whole cache lines. */
        public static final int MOST_BYTES = Integer.MAX_VALUE & -AlignedMemory.ALIGNMENT;

        private final List<Place> places = new ArrayList<>();
        private final List<Integer> blockBytes = new ArrayList<>();

        private record Place(int block, int offset, int bytes) {}

        /**
         * Places the tensors in their order.
         *
         * @param blockBytes the largest number of bytes of a block, unless a single tensor is larger
         * @throws TrainSpecException when a tensor is too large for a buffer
         */
        Layout(List<NamedTensor> tensors, int blockBytes) {
            int used = 0;
            for (NamedTensor tensor : tensors) {
                int bytes = bytes(tensor);
                int taken = (bytes + AlignedMemory.ALIGNMENT - 1) & -AlignedMemory.ALIGNMENT;
                if (used > 0 && taken > blockBytes - used) {
                    this.blockBytes.add(used);
                    used = 0;
                }
                places.add(new Place(this.blockBytes.size(), used, bytes));
                used += taken;
            }
            this.blockBytes.add(used);
        }

        private static int bytes(NamedTensor tensor) {
            long bytes = Math.multiplyExact(tensor.elements(), (long) Float.BYTES);
            if (bytes > MOST_BYTES) {
                throw new TrainSpecException("the model's tensor " + tensor + " has " + bytes
                        + " bytes; one tensor can have at most " + MOST_BYTES
                        + " (all together may have more): use narrower layers");
            }
            return (int) bytes;
        }
    }

    private final Layout layout;
    private final TrainingMemory where;
    private final List<DeviceMemory> memory = new ArrayList<>();

    /**
     * Allocates zeros.
     *
     * @param what the name of the memory in errors
     */
    public Blocks(Layout layout, TrainingMemory where, String what) {
        this.layout = layout;
        this.where = where;
        try {
            for (int bytes : layout.blockBytes) {
                memory.add(where.zeros(bytes, what));
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            close();
            throw e;
        }
    }

    /**
     * Returns a view of a tensor's values, not a copy.
     *
     * @throws IllegalStateException when the CPU cannot read it
     */
    ByteBuffer tensor(int i) {
        Layout.Place place = layout.places.get(i);
        return memory.get(place.block).slice(place.offset, place.bytes);
    }

    /** Returns a tensor that views this memory. */
    PtNDArray array(int i, Shape shape) {
        Layout.Place place = layout.places.get(i);
        return where.floats(memory.get(place.block), place.offset, shape);
    }

    /** Returns whether the engine treats all tensors of a block as parts of one memory of its own. */
    boolean areShared() {
        return !where.isHost();
    }

    /** Returns access to a tensor's values. */
    TensorValues values(int i) {
        Layout.Place place = layout.places.get(i);
        return where.values(memory.get(place.block), place.offset, place.bytes);
    }

    /** Returns access to all tensors' values in their order. */
    public List<TensorValues> tensors() {
        return IntStream.range(0, layout.places.size()).mapToObj(this::values).toList();
    }

    /** Returns all memory, gaps included. */
    List<DeviceMemory> memory() {
        return memory;
    }

    /** Returns each block as one vector, gaps included. */
    public List<PtNDArray> vectors() {
        return memory.stream()
                .map(block -> where.floats(block, 0, new Shape(block.bytes() / Float.BYTES)))
                .toList();
    }

    /** Frees the memory. The arrays that view it must be closed before, or never used again. */
    @Override
    public void close() {
        memory.forEach(DeviceMemory::close);
    }
}
