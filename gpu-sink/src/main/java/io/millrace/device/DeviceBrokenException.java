package io.millrace.device;

/**
 * A device failed in a way that the process cannot recover from: every later call fails too, until the process ends. Its
 * memory's contents are lost.
 */
public final class DeviceBrokenException extends DeviceException {
    private static final long serialVersionUID = 1;

    /**
     * Tells what failed, and what that means.
     *
     * @param what failed, and how: the beginning of a sentence
     */
    DeviceBrokenException(String what, Throwable cause) {
        super(
                what
                        + ": the device's state is lost, and every later call in this process fails too. The process has"
                        + " to end; the run goes on from its last checkpoint in a new one",
                cause);
    }
}
