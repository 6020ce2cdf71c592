package io.millrace.device;

/** A device cannot be had, or failed; the message tells a user what is missing and what to do. */
public class DeviceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Without a cause. */
    public DeviceException(String message) {
        super(message);
    }

    /** With what it was found by. */
    public DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
