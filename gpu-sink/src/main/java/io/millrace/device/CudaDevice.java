package io.millrace.device;

import jcuda.Pointer;
import jcuda.driver.JCudaDriver;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * An NVIDIA GPU, through the driver alone. Several may be open in one process, also the same one several times: each
 * holds the device's primary context, which is also the training engine's.
 */
public final class CudaDevice implements Device {
    private final CudaContext context;
    private final CudaStream copies;
    private final CudaStream engine;
    private final CudaClock clock;
    private final DeviceUse use;
    private final Handles handles = new Handles();

    /**
     * How much of a device's memory is taken.
     *
     * @param usedBytes by all processes
     */
    public record MemoryUse(long usedBytes, long totalBytes) {}

    /**
     * Opens a device.
     *
     * @param number from 0, as the driver counts those that {@code CUDA_VISIBLE_DEVICES} shows
     * @throws DeviceException when there is no driver, none that is new enough, or no such device
     */
    public static CudaDevice open(int number) {
        Handles begun = new Handles();
        return begun.closeOnFailure(() -> {
            CudaContext context = begun.add(new CudaContext(number));
            return new CudaDevice(context, begun.add(CudaStream.create(context)));
        });
    }

    private CudaDevice(CudaContext context, CudaStream copies) {
        this.context = handles.add(context);
        this.copies = handles.add(copies);
        this.engine = CudaStream.ofEngine(context);
        this.clock = handles.add(new CudaClock(context));
        this.use = handles.add(new DeviceUse(this)); // closed first: its events are on the streams
    }

    /**
     * How many devices there are.
     *
     * @throws DeviceException when there is none, with what is missing
     */
    public static int count() {
        return CudaDriver.devices();
    }

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public String told() {
        return context.told();
    }

    /** The device's number. */
    public int number() {
        return context.number();
    }

    /** Page-locked for all devices of the process; locking takes some ms for 10 MB, so it is not for single batches. */
    @Override
    public AlignedMemory pageLocked(long bytes, String what) {
        int checked = AlignedMemory.requireOneBlock(bytes, what);
        Pointer pointer = new Pointer();
        context.enter();
        context.check(
                JCudaDriver.cuMemHostAlloc(pointer, bytes, JCudaDriver.CU_MEMHOSTALLOC_PORTABLE),
                "cuMemHostAlloc",
                bytes + " bytes of " + what);
        context.opened();
        return AlignedMemory.of(
                MemoryUtil.getByteBufferAddress(pointer.getByteBuffer(0, bytes)),
                checked,
                () -> context.free(() -> JCudaDriver.cuMemFreeHost(pointer), "cuMemFreeHost"));
    }

    @Override
    public DeviceMemory memory(long bytes, String what) {
        return new CudaMemory(context, bytes, what);
    }

    @Override
    public DeviceStream stream() {
        return CudaStream.create(context);
    }

    @Override
    public DeviceStream copies() {
        return copies;
    }

    @Override
    public DeviceStream engine() {
        return engine;
    }

    @Override
    public DeviceEvent event() {
        return CudaEvent.untimed(context);
    }

    @Override
    public DeviceEvent timedEvent() {
        return CudaEvent.timed(context, clock);
    }

    @Override
    public DeviceUse use() {
        return use;
    }

    /** How much of its memory is taken, by whomever. */
    public MemoryUse memoryUse() {
        long[] free = new long[1];
        long[] total = new long[1];
        context.enter();
        context.check(JCudaDriver.cuMemGetInfo(free, total), "cuMemGetInfo", "");
        return new MemoryUse(total[0] - free[0], total[0]);
    }

    /** What the driver tells of the device. */
    public GpuFacts facts() {
        return CudaDriver.facts(context.number());
    }

    /** Ends the stream of copies and lets go of the device; closing again does nothing. */
    @Override
    public void close() {
        handles.close();
    }
}
