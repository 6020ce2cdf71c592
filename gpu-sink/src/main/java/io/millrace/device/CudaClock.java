package io.millrace.device;

import io.millrace.lifecycle.Handles;
import java.util.concurrent.TimeUnit;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A clock for the times at which events of a CUDA device passed, as {@link System#nanoTime} counts. The driver returns
 * the time between two events as milliseconds in a float, which is exact to a microsecond over a few seconds. Therefore
 * the clock takes a new origin every few seconds: an event on a stream without other work, whose time the host knows to
 * some microseconds. Thread-safe.
 */
final class CudaClock implements AutoCloseable {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * The number of times that a thread asks for the event of an origin: some tens of microseconds, in which an idle device
     * has answered. A thread that waits in the driver sleeps ({@link CudaContext}), and the time until it wakes up would make
     * the host's time of the event inexact.
     */
    private static final int MOST_QUERIES = 20;

    /** A point in time that the device and the host both know. */
    static final class Origin {
        private final CUevent event = new CUevent();
        private long hostNanos;

        /**
         * The number of events that count from it, and one for the clock while it is the latest. Guarded by the clock.
         */
        private int users = 1;
    }

    private final CudaContext context;
    private @Nullable CudaStream stream;
    private @Nullable Origin latest;

    /** Creates a clock, which uses the device only when the first event is recorded. */
    CudaClock(CudaContext context) {
        this.context = context;
    }

    /** Returns the origin for an event that is recorded now; the caller gives it back. */
    synchronized Origin take() {
        Origin origin = latest;
        if (origin == null || System.nanoTime() - origin.hostNanos > FRESH_NANOS) {
            Origin fresh = fresh();
            latest = fresh;
            if (origin != null) {
                giveBack(origin);
            }
            origin = fresh;
        }
        origin.users++;
        return origin;
    }

    /** Gives back an origin from which an event no longer counts. */
    synchronized void giveBack(Origin origin) {
        origin.users--;
        if (origin.users == 0) {
            context.free(() -> JCudaDriver.cuEventDestroy(origin.event), "cuEventDestroy");
        }
    }

    private Origin fresh() {
        CudaStream idle = stream;
        if (idle == null) {
            idle = CudaStream.create(context);
            stream = idle;
        }
        Origin origin = new Origin();
        context.enter();
        context.check(
                JCudaDriver.cuEventCreate(origin.event, CUevent_flags.CU_EVENT_BLOCKING_SYNC), "cuEventCreate", "");
        context.opened();
        Handles onFailure = new Handles();
        onFailure.add(() -> giveBack(origin));
        CudaStream measured = idle;
        onFailure.add(measured::synchronize); // an event that is freed must have passed
        return onFailure.closeOnFailure(() -> {
            long before = System.nanoTime();
            measured.recordRaw(origin.event);
            for (int queries = 0; queries < MOST_QUERIES && !hasPassed(origin); queries++) {
                Thread.onSpinWait();
            }
            measured.synchronize(); // only a device that is slow to answer makes this wait
            long after = System.nanoTime();
            origin.hostNanos = before + (after - before) / 2;
            return origin;
        });
    }

    private boolean hasPassed(Origin origin) {
        int result = JCudaDriver.cuEventQuery(origin.event);
        if (result == CUresult.CUDA_ERROR_NOT_READY) {
            return false;
        }
        context.check(result, "cuEventQuery", "");
        return true;
    }

    /** Returns the time when an event that counts from an origin passed. */
    long nanos(Origin from, CUevent event) {
        float[] millis = new float[1];
        context.enter();
        int result = JCudaDriver.cuEventElapsedTime(millis, from.event, event);
        if (result == CUresult.CUDA_ERROR_NOT_READY) {
            throw new IllegalStateException("the event was not recorded, or has not passed");
        }
        context.check(result, "cuEventElapsedTime", "");
        return from.hostNanos + Math.round(millis[0] * NANOS_PER_MILLI);
    }

    /** Closes the clock; events that count by it must be closed already. Closing again does nothing. */
    @Override
    public synchronized void close() {
        try (Handles all = new Handles()) {
            if (stream != null) {
                all.add(stream);
            }
            Origin last = latest;
            latest = null;
            if (last != null) {
                all.add(() -> giveBack(last));
            }
        }
    }
}
