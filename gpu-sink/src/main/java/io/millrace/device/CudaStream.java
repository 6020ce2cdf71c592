package io.millrace.device;

import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a CUDA device: one of Millrace's own, which does not wait for the engine's work, or the engine's. An
 * engine that computes on the CPU has no stream of the driver: then the calling thread waits here for each piece of
 * work, since the engine does its next work at once.
 */
final class CudaStream implements DeviceStream {
    private static final int NO_FLAGS = 0;

    private final CudaContext context;

    /** Null for the engine's stream: PyTorch works on the legacy default stream, whose handle is null. */
    private final @Nullable CUstream own;

    private final CUstream stream;
    private final boolean waited;
    private boolean open;

    private CudaStream(CudaContext context, @Nullable CUstream own, boolean waited) {
        this.context = context;
        this.own = own;
        this.waited = waited;
        this.stream = own == null ? new CUstream() : own;
        this.open = own != null;
    }

    /** Creates a stream that does not wait for the engine. */
    static CudaStream create(CudaContext context) {
        CUstream made = new CUstream();
        context.enter();
        context.check(JCudaDriver.cuStreamCreate(made, CUstream_flags.CU_STREAM_NON_BLOCKING), "cuStreamCreate", "");
        context.opened();
        return new CudaStream(context, made, false);
    }

    /** Returns the stream of an engine that computes on the device. */
    static CudaStream ofEngine(CudaContext context) {
        return new CudaStream(context, null, false);
    }

    /** Returns the stream for an engine that computes on the CPU. */
    static CudaStream ofCpu(CudaContext context) {
        return new CudaStream(context, null, true);
    }

    private void enqueued() {
        if (waited) {
            synchronize();
        }
    }

    @Override
    public void copyIn(long source, DeviceMemory target, long offset, long bytes) {
        long to = target.at(offset, bytes);
        if (bytes > 0) {
            context.enter();
            context.check(
                    JCudaDriver.cuMemcpyHtoDAsync(
                            CudaMemory.deviceAddress(to), CudaMemory.hostAddress(source), bytes, stream),
                    "cuMemcpyHtoDAsync",
                    bytes + " bytes");
            enqueued();
        }
    }

    @Override
    public void copyWithin(DeviceMemory memory, long from, long to, long bytes) {
        DeviceStream.requireApart(from, to, bytes);
        long source = memory.at(from, bytes);
        long target = memory.at(to, bytes);
        if (bytes > 0) {
            context.enter();
            context.check(
                    JCudaDriver.cuMemcpyDtoDAsync(
                            CudaMemory.deviceAddress(target), CudaMemory.deviceAddress(source), bytes, stream),
                    "cuMemcpyDtoDAsync",
                    bytes + " bytes");
            enqueued();
        }
    }

    @Override
    public void copyOut(DeviceMemory source, long offset, long target, long bytes) {
        long from = source.at(offset, bytes);
        if (bytes > 0) {
            context.enter();
            context.check(
                    JCudaDriver.cuMemcpyDtoHAsync(
                            CudaMemory.hostAddress(target), CudaMemory.deviceAddress(from), bytes, stream),
                    "cuMemcpyDtoHAsync",
                    bytes + " bytes");
            enqueued();
        }
    }

    @Override
    public void record(DeviceEvent event) {
        CudaEvent recorded = CudaEvent.of(event);
        recorded.beginRecording();
        recordRaw(recorded.handle());
    }

    /** Records an event of the driver. */
    void recordRaw(CUevent event) {
        context.enter();
        context.check(JCudaDriver.cuEventRecord(event, stream), "cuEventRecord", "");
    }

    @Override
    public void await(DeviceEvent event) {
        context.enter();
        context.check(
                JCudaDriver.cuStreamWaitEvent(stream, CudaEvent.of(event).handle(), NO_FLAGS), "cuStreamWaitEvent", "");
        enqueued();
    }

    @Override
    public void synchronize() {
        if (open || own == null) {
            context.waitFor(() -> JCudaDriver.cuStreamSynchronize(stream), "cuStreamSynchronize");
        }
    }

    @Override
    public void close() {
        CUstream mine = own;
        if (open && mine != null) {
            open = false;
            context.free(
                    () -> {
                        // The driver would continue the pending work after the stream is destroyed, but its memory may
                        // be freed next.
                        int waited = JCudaDriver.cuStreamSynchronize(mine);
                        int destroyed = JCudaDriver.cuStreamDestroy(mine);
                        return waited == 0 ? destroyed : waited;
                    },
                    "cuStreamDestroy");
        }
    }
}
