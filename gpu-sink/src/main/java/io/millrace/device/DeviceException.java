package io.millrace.device;

/** A device cannot be opened, or has failed; the message names for the user what is missing and what to do. */
public class DeviceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates an exception without a cause. */
    public DeviceException(String message) {
        super(message);
    }

    /** Creates an exception with the cause that showed the failure. */
    public DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
