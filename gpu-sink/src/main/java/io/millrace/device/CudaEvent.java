package io.millrace.device;

import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/** An event of a CUDA device. Times cost the device more, so an event has them only on request. */
final class CudaEvent implements DeviceEvent {
    private final CudaContext context;
    private final CUevent event = new CUevent();
    private final @Nullable CudaClock clock;
    private boolean open;

    /** The origin from which the event's time counts since its last recording; null before that, and without times. */
    private CudaClock.@Nullable Origin origin;

    private CudaEvent(CudaContext context, @Nullable CudaClock clock) {
        this.context = context;
        this.clock = clock;
        context.enter();
        // A waiting thread sleeps: otherwise the driver would keep a core busy that decoding needs.
        int flags = CUevent_flags.CU_EVENT_BLOCKING_SYNC
                | (clock == null ? CUevent_flags.CU_EVENT_DISABLE_TIMING : CUevent_flags.CU_EVENT_DEFAULT);
        context.check(JCudaDriver.cuEventCreate(event, flags), "cuEventCreate", "");
        context.opened();
        open = true;
    }

    /** Creates an event without times. */
    static CudaEvent untimed(CudaContext context) {
        return new CudaEvent(context, null);
    }

    /** Creates an event that records the time when it passes by this clock. */
    static CudaEvent timed(CudaContext context, CudaClock clock) {
        return new CudaEvent(context, clock);
    }

    /** Returns the CUDA event that was passed to a CUDA stream. */
    static CudaEvent of(DeviceEvent event) {
        if (event instanceof CudaEvent cuda) {
            return cuda;
        }
        throw new IllegalArgumentException("the event belongs to another device");
    }

    /** Returns the driver's handle. */
    CUevent handle() {
        return event;
    }

    /** Prepares the event for its next recording. */
    void beginRecording() {
        if (clock != null) {
            forget();
            origin = clock.take();
        }
    }

    private void forget() {
        CudaClock.Origin old = origin;
        origin = null;
        if (clock != null && old != null) {
            clock.giveBack(old);
        }
    }

    @Override
    public long passedNanos() {
        CudaClock.Origin from = origin;
        if (clock == null || from == null) {
            throw new IllegalStateException(
                    clock == null ? "the event has no times" : "the event was not recorded, or has not passed");
        }
        return clock.nanos(from, event);
    }

    @Override
    public boolean isDone() {
        context.enter();
        int result = JCudaDriver.cuEventQuery(event);
        if (result == CUresult.CUDA_ERROR_NOT_READY) {
            return false;
        }
        context.check(result, "cuEventQuery", "");
        return true;
    }

    @Override
    public void synchronize() {
        context.waitFor(() -> JCudaDriver.cuEventSynchronize(event), "cuEventSynchronize");
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            forget();
            context.free(() -> JCudaDriver.cuEventDestroy(event), "cuEventDestroy");
        }
    }
}
