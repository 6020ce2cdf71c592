package io.millrace.device;

/** A point in a stream's work: passed when the work before it is done, or when it was never recorded. */
public sealed interface DeviceEvent extends AutoCloseable permits CudaEvent, HostEvent {
    /** Whether it has passed; does not wait. */
    boolean isDone();

    /** Waits until it has passed. */
    void synchronize();

    /** Frees it; it must have passed. Closing again does nothing. */
    @Override
    void close();
}
