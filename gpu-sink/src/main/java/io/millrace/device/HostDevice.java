package io.millrace.device;

import org.jspecify.annotations.Nullable;

/**
 * The device that needs no hardware: its memory is memory of this process, outside the Java heap. Work is done within
 * the call that enqueues it. Over a {@link SimulatedLink} work is done later, on one thread for each stream, as by a
 * device behind such a link.
 */
public final class HostDevice implements Device {
    /** The name of this kind of device. */
    public static final String NAME = "host";

    private final @Nullable SimulatedLink link;
    private final DeviceStream copies;
    private final DeviceStream engine = new HostStream();
    private final DeviceUse use = new DeviceUse(this);

    /** Creates a device whose work is done at once. */
    public HostDevice() {
        this.link = null;
        this.copies = new HostStream();
    }

    /** Creates a device behind this link; every stream but the engine's uses the link. */
    public HostDevice(SimulatedLink link) {
        this.link = link;
        this.copies = new SimulatedStream(link);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String describe() {
        return link == null ? "the host's memory" : "the host's memory over a simulated link";
    }

    /** Returns false: the engine computes on the thread that calls it. */
    @Override
    public boolean isAsynchronous() {
        return false;
    }

    @Override
    public boolean isReadableByCpu() {
        return true;
    }

    @Override
    public AlignedMemory pageLocked(long bytes, String what) {
        return AlignedMemory.allocate(bytes, what);
    }

    @Override
    public DeviceMemory memory(long bytes, String what) {
        return new HostMemory(AlignedMemory.allocate(bytes, what));
    }

    @Override
    public DeviceStream stream() {
        return link == null ? new HostStream() : new SimulatedStream(link);
    }

    @Override
    public DeviceStream copies() {
        return copies;
    }

    /**
     * Returns the engine's stream. The engine computes on the thread that calls it, so this stream waits on that
     * thread.
     */
    @Override
    public DeviceStream engine() {
        return engine;
    }

    @Override
    public DeviceEvent event() {
        return HostEvent.untimed();
    }

    @Override
    public DeviceEvent timedEvent() {
        return HostEvent.timed();
    }

    @Override
    public DeviceUse use() {
        return use;
    }

    /** Ends the stream of copies; the owners of memory and batches still have to close them. */
    @Override
    public void close() {
        use.close();
        copies.close();
    }
}
