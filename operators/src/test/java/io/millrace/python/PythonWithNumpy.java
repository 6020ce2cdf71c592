package io.millrace.python;

import java.io.IOException;
import java.util.Optional;

/** The Python interpreter with numpy of this machine. */
public final class PythonWithNumpy {
    /** The environment variable with the interpreter's path; otherwise it is the first python3 on the PATH. */
    private static final String VARIABLE = "MILLRACE_TEST_PYTHON";

    private PythonWithNumpy() {}

    /** Returns the command of the interpreter if it is 3.9 or newer and has numpy. */
    public static Optional<String> find() throws IOException, InterruptedException {
        String python = Optional.ofNullable(System.getenv(VARIABLE)).orElse("python3");
        try {
            int exitCode = new ProcessBuilder(python, "-c", "import sys, numpy; assert sys.version_info >= (3, 9)")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            return exitCode == 0 ? Optional.of(python) : Optional.empty();
        } catch (IOException e) {
            if (System.getenv(VARIABLE) != null) {
                throw e;
            }
            return Optional.empty(); // there is no python3 on the PATH
        }
    }
}
