package io.millrace.device;

/**
 * The training engine has failed in a TorchScript module for another reason than the device. The message begins with
 * the engine's work and the reason; the cause has the whole traceback.
 */
public final class EngineFailureException extends RuntimeException {
    private static final long serialVersionUID = 1;

    EngineFailureException(String message, Throwable cause) {
        super(message, cause);
    }
}
