package io.millrace.device;

import io.millrace.batch.BatchSpec;
import java.util.List;

/**
 * The host as a device whose batches are read by another process: the rows of the i-th allocated batch are in buffer i of
 * given memory. All columns whose rows have one length are at fixed offsets, the same in every buffer. Bits stay packed.
 * Ragged and sparse columns, which have no fixed length, are in memory of this process, as are labels, and columns that are
 * transformed on their way to a buffer.
 *
 * <p>Work is done within the call that enqueues it. The thread that fills batches allocates and closes them, and closes
 * the device.
 */
public final class BufferDevice implements Device {
    /** The name of this kind of device. */
    public static final String NAME = "buffers";

    /** The offset of a column that is in memory of this process, because its rows are transformed. */
    public static final long APART = -1;

    private final HostDevice host = new HostDevice();
    private final BufferMemory buffers;
    private final List<Long> offsets;
    private int allocated;

    /**
     * Creates a device; takes ownership of the buffers.
     *
     * @param offsets the offset of each column in a buffer, a multiple of 64, or {@link #APART}; that of a column that varies
     *     is not used
     */
    public BufferDevice(BufferMemory buffers, List<Long> offsets) {
        this.buffers = buffers;
        this.offsets = List.copyOf(offsets);
    }

    /**
     * Allocates a batch in the next buffer; the caller closes it before the device.
     *
     * @throws IllegalStateException when every buffer has a batch
     * @throws IllegalArgumentException when the columns do not fit their places
     */
    @Override
    public DeviceBatch allocate(BatchSpec spec, int capacity) {
        if (allocated == buffers.buffers()) {
            throw new IllegalStateException("all " + allocated + " buffers have a batch");
        }
        if (spec.columns().size() != offsets.size()) {
            throw new IllegalArgumentException("expected " + offsets.size() + " columns, found "
                    + spec.columns().size());
        }
        int buffer = allocated++;
        return new DeviceBatch(this, spec, capacity, i -> {
            BatchSpec.Column column = spec.columns().get(i);
            return column.varies() || offsets.get(i) == APART
                    ? null
                    : new BufferPart(buffers, buffer, offsets.get(i), (long) capacity * column.rowBytes());
        });
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String describe() {
        return buffers.buffers() + " buffers of " + buffers.bufferBytes() + " bytes";
    }

    @Override
    public AlignedMemory pageLocked(long bytes, String what) {
        return host.pageLocked(bytes, what);
    }

    @Override
    public DeviceMemory memory(long bytes, String what) {
        return host.memory(bytes, what);
    }

    @Override
    public DeviceStream stream() {
        return host.stream();
    }

    @Override
    public DeviceStream copies() {
        return host.copies();
    }

    @Override
    public DeviceStream engine() {
        return host.engine();
    }

    @Override
    public DeviceEvent event() {
        return host.event();
    }

    @Override
    public DeviceEvent timedEvent() {
        return host.timedEvent();
    }

    @Override
    public boolean isAsynchronous() {
        return false;
    }

    @Override
    public boolean isReadableByCpu() {
        return true;
    }

    /** Returns whether rows are transformed, and so read, in this process. Otherwise the client expands rows. */
    @Override
    public boolean expandsRows() {
        return offsets.contains(APART);
    }

    @Override
    public DeviceUse use() {
        return host.use();
    }

    /** Closes the buffers. */
    @Override
    public void close() {
        try {
            host.close();
        } finally {
            buffers.close();
        }
    }
}
