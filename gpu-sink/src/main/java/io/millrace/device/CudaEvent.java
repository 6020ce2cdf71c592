package io.millrace.device;

import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/** An event of a CUDA device, without times: these cost the device more. */
final class CudaEvent implements DeviceEvent {
    private final CudaContext context;
    private final CUevent event = new CUevent();
    private boolean open;

    CudaEvent(CudaContext context) {
        this.context = context;
        context.enter();
        context.check(JCudaDriver.cuEventCreate(event, CUevent_flags.CU_EVENT_DISABLE_TIMING), "cuEventCreate", "");
        context.opened();
        open = true;
    }

    /** The driver's handle of an event that a CUDA stream was given. */
    static CUevent of(DeviceEvent event) {
        if (event instanceof CudaEvent cuda) {
            return cuda.event;
        }
        throw new IllegalArgumentException("an event of another device");
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
            context.free(() -> JCudaDriver.cuEventDestroy(event), "cuEventDestroy");
        }
    }
}
