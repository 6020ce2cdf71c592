package io.millrace.python;

import org.jspecify.annotations.Nullable;

/**
 * The exception for a pipeline that cannot run: there is no interpreter, module or function, or the function cannot be
 * called. The message is one sentence. No sample is to blame, so the job ends.
 */
public final class PythonException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    PythonException(String message) {
        this(message, null);
    }

    PythonException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
