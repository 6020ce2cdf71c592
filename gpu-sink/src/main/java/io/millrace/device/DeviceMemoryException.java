package io.millrace.device;

/** A device has too little free memory, or the process may not lock as much as was requested. */
public final class DeviceMemoryException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceMemoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
