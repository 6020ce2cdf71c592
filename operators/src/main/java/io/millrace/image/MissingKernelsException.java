package io.millrace.image;

/** Kernels were asked for that there are not, on this machine or at all. The message is for whoever asked. */
public final class MissingKernelsException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /** With what was expected and what was found. */
    MissingKernelsException(String message) {
        super(message);
    }
}
