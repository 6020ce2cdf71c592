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
 * A device's memory as a training uses it: blocks of zeros that the engine's tensors view, and the ways between them and the
 * processor. On the host these are no ways: both see the same bytes. Owns neither device nor manager, nor the blocks; closed
 * after what was asked of it is done.
 */
public final class TrainingMemory implements AutoCloseable {
    /** Copied at a time on the way to the processor: large enough for a link's full speed. */
    private static final int PIECE_BYTES = 8 << 20;

    private final Device device;
    private final PtNDManager manager;
    private @Nullable AlignedMemory piece;

    /**
     * The memory of a device.
     *
     * @param manager owns tensors that live as long as the training
     */
    public TrainingMemory(Device device, PtNDManager manager) {
        this.device = device;
        this.manager = manager;
    }

    /** Whether the processor reads and writes this memory itself. */
    public boolean isHost() {
        return device instanceof HostDevice;
    }

    public Device device() {
        return device;
    }

    public PtNDManager manager() {
        return manager;
    }

    /** A block of zeros, for the caller to close. */
    public DeviceMemory zeros(int bytes, String what) {
        if (isHost() || bytes == 0) {
            return new HostDevice().memory(bytes, what); // zero at first
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

    /** A tensor of float32 values that lie there. */
    public PtNDArray floats(DeviceMemory memory, long offset, Shape shape) {
        return EngineTensors.numbers(memory, offset, shape, DataType.FLOAT32, manager);
    }

    /** Values that lie there, for the processor. */
    public TensorValues values(DeviceMemory memory, long offset, int bytes) {
        return isHost() ? new Here(memory, offset, bytes) : new There(memory, offset, bytes);
    }

    /** Values in this process. */
    private record Here(DeviceMemory memory, long offset, int bytes) implements TensorValues {
        @Override
        public void read(Consumer<ByteBuffer> reader) {
            reader.accept(memory.slice(offset, bytes));
        }

        @Override
        public void write(Consumer<ByteBuffer> writer) {
            writer.accept(memory.slice(offset, bytes));
        }
    }

    /** Values that are copied, behind the work that the engine was asked for. */
    private final class There implements TensorValues {
        private final DeviceMemory memory;
        private final long offset;
        private final int bytes;

        There(DeviceMemory memory, long offset, int bytes) {
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
