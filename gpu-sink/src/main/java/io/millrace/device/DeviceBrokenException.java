package io.millrace.device;

/**
 * A device failed in a way that the process cannot recover from: every later call fails too, until the process ends. Its
 * memory's contents are lost.
 */
public final class DeviceBrokenException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceBrokenException(String message, Throwable cause) {
        super(message, cause);
    }
}
