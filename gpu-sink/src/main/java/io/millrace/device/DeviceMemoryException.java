package io.millrace.device;

/**
 * An exception for a device with too little free memory, or for a process that may not lock as much memory as was
 * requested.
 */
public final class DeviceMemoryException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceMemoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
