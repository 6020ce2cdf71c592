package io.millrace.device;

import java.util.concurrent.atomic.AtomicInteger;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/**
 * The retained primary context of a CUDA device. PyTorch works in the same context, so that both see the same memory.
 *
 * <p>Every call of the driver needs the context as the calling thread's current one: {@link #enter} makes it current
 * and leaves it so. The engine also sets its context before its calls. Thread-safe.
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

    /** Returns the device's number. */
    int number() {
        return number;
    }

    /** Returns the device's name for people, as "cuda:0 (NVIDIA H200)". */
    String describe() {
        return "cuda:" + number + " (" + model + ")";
    }

    /** Makes the context the calling thread's current one. */
    void enter() {
        check(JCudaDriver.cuCtxSetCurrent(context), "cuCtxSetCurrent", "");
    }

    /** Throws unless a call succeeded; {@code why} is the purpose of the call, or empty. */
    void check(int result, String call, String why) {
        CudaErrors.check(result, call, (why.isEmpty() ? "" : "for " + why + " ") + "on cuda:" + number);
    }

    /** Counts something that was opened and needs the context. */
    void opened() {
        open.incrementAndGet();
    }

    /** Counts something as closed that was {@link #opened}, without a call of the driver. */
    void closed() {
        open.decrementAndGet();
    }

    /**
     * Calls a function that frees something, even when entering the context fails: the context may be current already.
     */
    void free(Call function, String call) {
        closed();
        waitFor(function, call);
    }

    /** Calls a function that waits, even when entering the context fails. */
    void waitFor(Call function, String call) {
        int entered = JCudaDriver.cuCtxSetCurrent(context);
        int done = function.call();
        check(done, call, "");
        check(entered, "cuCtxSetCurrent", "");
    }

    /** A call of the driver. */
    @FunctionalInterface
    interface Call {
        /** Calls the driver and returns its result code. */
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
