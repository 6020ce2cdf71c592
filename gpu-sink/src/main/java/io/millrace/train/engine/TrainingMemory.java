package io.millrace.train.engine;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.AlignedMemory;
import io.millrace.device.Device;
import io.millrace.device.DeviceMemory;
import io.millrace.device.EngineTensors;
import io.millrace.device.HostDevice;
import io.millrace.lifecycle.Handles;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A device's memory for one training: blocks of zeros that the engine's tensors view, and the copies between them and the
 * CPU. On the host nothing is copied, because the engine and the CPU see the same bytes. Owns neither the device, nor the
 * manager, nor the blocks. It is closed after all pending work is done.
 */
public final class TrainingMemory implements AutoCloseable {
    /** The number of bytes that are copied to the host at a time. It is large enough for the full speed of a link. */
    private static final int PIECE_BYTES = 8 << 20;

    private final Device device;
    private final PtNDManager manager;
    private @Nullable AlignedMemory piece;

    /**
     * Uses the memory of a device.
     *
     * @param manager the owner of tensors that live as long as the training
     */
    public TrainingMemory(Device device, PtNDManager manager) {
        this.device = device;
        this.manager = manager;
    }

    /** Returns whether the CPU can read and write this memory directly. */
    public boolean isHost() {
        return device.isReadableByCpu();
    }

    public Device device() {
        return device;
    }

    public PtNDManager manager() {
        return manager;
    }

    /** Allocates a block of zeros, which the caller closes. */
    public DeviceMemory zeros(int bytes, String what) {
        if (isHost() || bytes == 0) {
            return new HostDevice().memory(bytes, what); // new memory holds zeros
        }
        Handles begun = new Handles();
        return begun.closeOnFailure(() -> {
            DeviceMemory memory = begun.add(device.memory(bytes, what));
            try (PtNDArray all = EngineTensors.bytes(memory, 0, bytes, manager)) {
                EngineTensors.fill(all, 0);
            }
            return memory;
        });
    }

    /** Returns a tensor of the float32 values at an offset of a block. */
    public PtNDArray floats(DeviceMemory memory, long offset, Shape shape) {
        return EngineTensors.numbers(memory, offset, shape, DataType.FLOAT32, manager);
    }

    /** Returns access to the values at an offset of a block, for the CPU. */
    public TensorValues values(DeviceMemory memory, long offset, int bytes) {
        return isHost() ? new HostValues(memory, offset, bytes) : new DeviceValues(memory, offset, bytes);
    }

    /** Values in the host's memory. */
    private record HostValues(DeviceMemory memory, long offset, int bytes) implements TensorValues {
        @Override
        public void read(Consumer<ByteBuffer> reader) {
            reader.accept(memory.slice(offset, bytes));
        }

        @Override
        public void write(Consumer<ByteBuffer> writer) {
            writer.accept(memory.slice(offset, bytes));
        }
    }

    /** Values in a device's memory, which are copied after the engine's pending work. */
    private final class DeviceValues implements TensorValues {
        private final DeviceMemory memory;
        private final long offset;
        private final int bytes;

        DeviceValues(DeviceMemory memory, long offset, int bytes) {
            this.memory = memory;
            this.offset = offset;
            this.bytes = bytes;
        }

        @Override
        public int bytes() {
            return bytes;
        }

        @Override
        public void read(Consumer<ByteBuffer> reader) {
            AlignedMemory through = piece();
            for (int done = 0; done < bytes; ) {
                int now = Math.min(bytes - done, through.bytes());
                device.engine().copyOut(memory, offset + done, through.address(), now);
                device.engine().synchronize();
                reader.accept(through.slice(0, now));
                done += now;
            }
        }

        @Override
        public void write(Consumer<ByteBuffer> writer) {
            try (AlignedMemory whole = AlignedMemory.allocate(bytes, "values on their way to the device")) {
                writer.accept(whole.buffer());
                device.engine().copyIn(whole.address(), memory, offset, bytes);
                device.engine().synchronize();
            }
        }
    }

    private AlignedMemory piece() {
        AlignedMemory made = piece;
        if (made == null) {
            made = device.pageLocked(PIECE_BYTES, "values on their way to the host");
            piece = made;
        }
        return made;
    }

    @Override
    public void close() {
        AlignedMemory made = piece;
        piece = null;
        if (made != null) {
            made.close();
        }
    }
}
