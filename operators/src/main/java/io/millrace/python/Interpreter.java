package io.millrace.python;

import java.util.Optional;

/**
 * The Python interpreter of a worker.
 *
 * @param executable its command; empty for {@code MILLRACE_PYTHON} or else {@code python3}
 */
record Interpreter(Optional<String> executable) {
    /** The environment variable with the path of the interpreter. */
    private static final String VARIABLE = "MILLRACE_PYTHON";

    /** Returns the command. */
    String command() {
        return executable.orElseGet(
                () -> Optional.ofNullable(System.getenv(VARIABLE)).orElse("python3"));
    }

    /** Returns where the command comes from, for messages. */
    String origin() {
        if (executable.isPresent()) {
            return "python.executable";
        }
        return System.getenv(VARIABLE) != null
                ? "environment variable " + VARIABLE
                : "python3 of the PATH; set python.executable or " + VARIABLE + " to choose another";
    }
}
