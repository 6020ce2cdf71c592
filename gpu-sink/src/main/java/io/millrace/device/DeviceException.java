package io.millrace.device;

/**
 * An exception for a device that cannot be opened or has failed. The message is for the user and names the missing part
 * and the remedy.
 */
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
