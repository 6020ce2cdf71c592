package io.millrace.device;

/** A point in a stream's work: passed when the work before it is done, or when it was never recorded. */
public sealed interface DeviceEvent extends AutoCloseable permits CudaEvent, HostEvent {
    /** Whether it has passed; does not wait. */
    boolean isDone();

    /** Waits until it has passed. */
    void synchronize();

    /**
     * When it passed, as {@link System#nanoTime} counts.
     *
     * @throws IllegalStateException when it is not timed, was never recorded or has not passed
     */
    long passedNanos();

    /** Frees it; it must have passed. Closing again does nothing. */
    @Override
    void close();
}
