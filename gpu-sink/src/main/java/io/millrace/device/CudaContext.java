package io.millrace.device;

import java.util.concurrent.atomic.AtomicInteger;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/**
 * The primary context of a CUDA device, retained: the one that PyTorch works in, so that both see the same memory.
 *
 * <p>Every call of the driver needs it as the calling thread's current one: {@link #enter} sees to that, and leaves it so.
 * The engine sets its own before its calls too. Thread-safe.
 */
final class CudaContext implements AutoCloseable {
    private final int number;
    private final CUdevice device;
    private final String model;
    private final CUcontext context = new CUcontext();
    private final AtomicInteger open = new AtomicInteger();
    private boolean retained;

    /** Retains the context of the device of that number. */
    CudaContext(int number) {
        this.number = number;
        this.device = CudaDriver.device(number);
        this.model = CudaDriver.name(device, number);
        check(JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "cuDevicePrimaryCtxRetain", "");
        this.retained = true;
    }

    /** The device's number. */
    int number() {
        return number;
    }

    /** For people, as "cuda:0 (NVIDIA H200)". */
    String describe() {
        return "cuda:" + number + " (" + model + ")";
    }

    /** Makes it the calling thread's current one. */
    void enter() {
        check(JCudaDriver.cuCtxSetCurrent(context), "cuCtxSetCurrent", "");
    }

    /** Throws unless a call succeeded; {@code why} says what it was for, or nothing. */
    void check(int result, String call, String why) {
        CudaErrors.check(result, call, (why.isEmpty() ? "" : "for " + why + " ") + "on cuda:" + number);
    }

    /** Something was opened that needs the context. */
    void opened() {
        open.incrementAndGet();
    }

    /** Something that was {@link #opened} is closed, without a call of the driver. */
    void closed() {
        open.decrementAndGet();
    }

    /** Calls a function that frees something, also when the context cannot be entered: it may be entered already. */
    void free(Call function, String call) {
        closed();
        waitFor(function, call);
    }

    /** The same for a function that waits. */
    void waitFor(Call function, String call) {
        int entered = JCudaDriver.cuCtxSetCurrent(context);
        int done = function.call();
        check(done, call, "");
        check(entered, "cuCtxSetCurrent", "");
    }

    /** A call of the driver. */
    @FunctionalInterface
    interface Call {
        /** What the driver answers. */
        int call();
    }

    /**
     * Releases the context; closing again does nothing.
     *
     * @throws IllegalStateException when something that needs it is still open
     */
    @Override
    public synchronized void close() {
        if (!retained) {
            return;
        }
        retained = false;
        check(JCudaDriver.cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease", "");
        if (open.get() > 0) {
            throw new IllegalStateException(describe() + " was closed before " + open.get() + " of its handles");
        }
    }
}
