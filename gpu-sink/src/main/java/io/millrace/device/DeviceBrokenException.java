package io.millrace.device;

/**
 * An exception for a device that has failed in a way from which the process cannot recover: every later call fails too,
 * until the process ends. The contents of the device's memory are lost.
 */
public final class DeviceBrokenException extends DeviceException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception whose message has the failure and its consequences.
     *
     * @param what the beginning of the message: the call that failed, and its error
     */
    DeviceBrokenException(String what, Throwable cause) {
        super(
                what
                        + ": the device's state is lost, and every later call in this process fails too. The process has"
                        + " to end; the run continues from its last checkpoint in a new process",
                cause);
    }
}
