package io.millrace.device;

/**
 * This machine has no GPU that the process may use, so there is nothing to repair: no driver is installed, or the driver
 * finds no GPU. Other reasons for which a GPU cannot be used are other exceptions.
 */
public final class NoGpuException extends DeviceException {
    private static final long serialVersionUID = 1;

    NoGpuException(String message) {
        super(message);
    }
}
