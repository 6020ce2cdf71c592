package io.millrace.device;

/**
 * A point in a stream's work. It has passed when the work before it is done. An event that was never recorded also
 * counts as passed.
 */
public sealed interface DeviceEvent extends AutoCloseable permits CudaEvent, HostEvent {
    /** Returns whether the event has passed; does not wait. */
    boolean isDone();

    /** Waits until the event has passed. */
    void synchronize();

    /**
     * Returns the time when the event passed, as {@link System#nanoTime} counts.
     *
     * @throws IllegalStateException when the event is not timed, was never recorded or has not passed
     */
    long passedNanos();

    /** Frees the event, which must have passed. Closing again does nothing. */
    @Override
    void close();
}
