package io.millrace.device;

/** A device has, or may lock, less memory than was asked for. */
public final class DeviceMemoryException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceMemoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
