package io.millrace.device;

import ai.djl.engine.Engine;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.lifecycle.Handles;
import java.util.function.Supplier;
import jcuda.Pointer;
import jcuda.driver.JCudaDriver;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;

/**
 * An NVIDIA GPU, through the driver. Several devices may be open in one process, also the same GPU several times: each
 * holds the primary context, which is also the training engine's.
 *
 * <p>Its memory is allocated by the driver, or by the engine for batches to train on: see {@link EngineMemory}.
 */
public final class CudaDevice implements Device {
    private final CudaContext context;
    private final CudaStream copies;
    private final CudaStream engine;
    private final CudaClock clock;
    private final DeviceUse use;
    private final EngineAllocations allocations;
    private final Handles handles = new Handles();

    /** The manager of the engine's device, whose memory this device uses; null for the driver's memory. */
    private final @Nullable PtNDManager tensors;

    /** The place where the training engine computes, as seen from a device. */
    private enum Computing {
        NOT,
        ON_THE_DEVICE,
        ON_THE_CPU
    }

    /**
     * The use of a device's memory.
     *
     * @param usedBytes the bytes that all processes use
     */
    public record MemoryUse(long usedBytes, long totalBytes) {}

    /**
     * Opens a device whose memory is the driver's.
     *
     * @param number the number of the device, from 0, among those that {@code CUDA_VISIBLE_DEVICES} shows
     * @throws DeviceException when there is no driver, the driver is too old, or there is no such device
     */
    public static CudaDevice open(int number) {
        return open(number, Computing.NOT, EngineAllocations.IGNORED);
    }

    /**
     * Opens a device whose memory is the training engine's; the engine is loaded already and has CUDA.
     *
     * @throws DeviceException also when the engine's tensors cannot be reached by their addresses
     */
    public static CudaDevice ofEngine(int number) {
        return open(number, Computing.ON_THE_DEVICE, EngineAllocations.IGNORED);
    }

    /** Opens a device beside an engine that computes on the CPU, for rehearsals with a driver that has no device. */
    static CudaDevice rehearsing(int number, EngineAllocations allocations) {
        return open(number, Computing.ON_THE_CPU, allocations);
    }

    private static CudaDevice open(int number, Computing computing, EngineAllocations allocations) {
        Handles begun = new Handles();
        return begun.closeOnFailure(() -> {
            CudaContext context = begun.add(new CudaContext(number));
            CudaStream copies = begun.add(CudaStream.create(context));
            if (computing == Computing.NOT) {
                return new CudaDevice(context, copies, CudaStream.ofEngine(context), null, allocations);
            }
            boolean cpu = computing == Computing.ON_THE_CPU;
            CudaStream engine = cpu ? CudaStream.ofCpu(context) : CudaStream.ofEngine(context);
            PtNDManager tensors = begun.add(onEngine(
                    () -> (PtNDManager) Engine.getEngine("PyTorch")
                            .newBaseManager(cpu ? ai.djl.Device.cpu() : ai.djl.Device.gpu(number)),
                    context.describe()));
            CudaDevice opened = begun.add(new CudaDevice(context, copies, engine, tensors, allocations));
            onEngine(
                    () -> {
                        EngineTensors.check(opened, tensors);
                        return opened;
                    },
                    context.describe());
            return opened;
        });
    }

    /**
     * Runs the engine's first work on a device.
     *
     * @param device the device's name for people
     * @throws DeviceException when the engine fails
     */
    static <T> T onEngine(Supplier<T> first, String device) {
        try {
            return first.get();
        } catch (ai.djl.engine.EngineException e) {
            RuntimeException translated = EngineErrors.translate(e, "the first use of " + device);
            throw translated instanceof DeviceException
                    ? translated
                    : new DeviceException(
                            "the training engine cannot use " + device + ": "
                                    + EngineMessage.of(e.getMessage()).reason(),
                            e);
        }
    }

    private CudaDevice(
            CudaContext context,
            CudaStream copies,
            CudaStream engine,
            @Nullable PtNDManager tensors,
            EngineAllocations allocations) {
        this.context = handles.add(context);
        this.copies = handles.add(copies);
        this.engine = engine;
        this.tensors = tensors;
        this.allocations = allocations;
        if (tensors != null) {
            handles.add(() -> giveBack(tensors));
            handles.add(tensors);
        }
        this.clock = handles.add(new CudaClock(context));
        this.use = handles.add(new DeviceUse(this)); // closed first: its events are on the streams
    }

    /** Releases the memory that the engine keeps of closed tensors, so that other processes can use it. */
    private static void giveBack(PtNDManager tensors) {
        if (tensors.getDevice().isGpu()) {
            JniUtils.emptyCudaCache();
        }
    }

    /**
     * Returns the number of devices.
     *
     * @throws DeviceException with what is missing, when there is none
     */
    public static int count() {
        return CudaDriver.devices();
    }

    /**
     * Throws unless there is a device of that number.
     *
     * @throws DeviceException with what is missing
     */
    public static void require(int number) {
        CudaDriver.device(number);
    }

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public String describe() {
        return context.describe();
    }

    @Override
    public boolean isAsynchronous() {
        return true;
    }

    @Override
    public boolean isReadableByCpu() {
        return false;
    }

    /** Returns the device's number. */
    public int number() {
        return context.number();
    }

    /**
     * Allocates memory that is page-locked for all devices of the process. Locking takes some ms for 10 MB, too long
     * for each batch.
     */
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
        PtNDManager manager = tensors;
        return manager == null
                ? new CudaMemory(context, bytes, what)
                : new EngineMemory(context, manager, engine, allocations, bytes, what);
    }

    /** Returns whether this device's memory is the training engine's. */
    boolean hasEngine() {
        return tensors != null;
    }

    /** Returns DJL's name of the place where the training engine computes on this device's memory. */
    ai.djl.Device engineDevice() {
        PtNDManager manager = tensors;
        if (manager == null) {
            throw new IllegalStateException(
                    "the memory of " + describe() + " is the driver's: the engine cannot reach it");
        }
        return manager.getDevice();
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

    /** Returns how much of the device's memory all processes use. */
    public MemoryUse memoryUse() {
        long[] free = new long[1];
        long[] total = new long[1];
        context.enter();
        context.check(JCudaDriver.cuMemGetInfo(free, total), "cuMemGetInfo", "");
        return new MemoryUse(total[0] - free[0], total[0]);
    }

    /** Returns the NUMA node to which the device is attached, and whether this process may use it. */
    public NumaNodes.Place place(NumaNodes numa) {
        return numa.place(describe(), CudaDriver.pciAddress(context.number()));
    }

    /** Returns the driver's facts of the device. */
    public GpuFacts facts() {
        return CudaDriver.facts(context.number());
    }

    /** Ends the stream of copies and releases the device; closing again does nothing. */
    @Override
    public void close() {
        handles.close();
    }
}
