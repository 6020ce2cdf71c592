package io.millrace.device;

import java.util.concurrent.atomic.AtomicInteger;
import jcuda.driver.CUcontext;
import jcuda.driver.CUctx_flags;
import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The retained primary context of a CUDA device. PyTorch works in the same context, so that both see the same memory.
 *
 * <p>Every call of the driver needs the context as the calling thread's current one: {@link #enter} makes it current
 * and leaves it so. The engine also sets its context before its calls. Thread-safe.
 */
final class CudaContext implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CudaContext.class);

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
        waitAsleep();
        check(JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "cuDevicePrimaryCtxRetain", "");
        this.retained = true;
    }

    /**
     * Requests that a thread sleeps while it waits for the device. By default the driver keeps a core busy that decoding
     * needs. The flags belong to the primary context, so they hold for PyTorch's waits too, and they are set before the
     * context exists, because older drivers refuse to change them later.
     */
    private void waitAsleep() {
        int[] flags = new int[1];
        int[] active = new int[1];
        check(JCudaDriver.cuDevicePrimaryCtxGetState(device, flags, active), "cuDevicePrimaryCtxGetState", "");
        if ((flags[0] & CUctx_flags.CU_CTX_SCHED_MASK) == CUctx_flags.CU_CTX_SCHED_BLOCKING_SYNC) {
            return;
        }
        int wanted = (flags[0] & ~CUctx_flags.CU_CTX_SCHED_MASK) | CUctx_flags.CU_CTX_SCHED_BLOCKING_SYNC;
        int result = JCudaDriver.cuDevicePrimaryCtxSetFlags(device, wanted);
        if (result == CUresult.CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE) {
            LOG.warn(
                    "{}: other code of this process opened the device before, so threads that wait for it keep a core busy",
                    describe());
        } else {
            check(result, "cuDevicePrimaryCtxSetFlags", "");
        }
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
