package io.millrace.python;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The Python interpreter with numpy of this machine. */
public final class PythonWithNumpy {
    /** The environment variable with the interpreter's path; otherwise it is the first python3 on the PATH. */
    private static final String VARIABLE = "MILLRACE_TEST_PYTHON";

    /** What is known about interpreters and packages, because to ask takes as long as a short test. */
    private static final Map<String, Boolean> KNOWN = new ConcurrentHashMap<>();

    private PythonWithNumpy() {}

    /** Returns the command of the interpreter if it is 3.9 or newer and has numpy. */
    public static Optional<String> find() throws IOException, InterruptedException {
        String python = Optional.ofNullable(System.getenv(VARIABLE)).orElse("python3");
        try {
            return succeeds(python, "import sys, numpy; assert sys.version_info >= (3, 9)")
                    ? Optional.of(python)
                    : Optional.empty();
        } catch (IOException e) {
            if (System.getenv(VARIABLE) != null) {
                throw e;
            }
            return Optional.empty(); // there is no python3 on the PATH
        }
    }

    /** Returns whether an interpreter can import a package. */
    public static boolean has(String python, String name) throws IOException, InterruptedException {
        return succeeds(python, "import " + name);
    }

    /** Returns whether a program ends without an error. It runs at most once in this process. */
    private static boolean succeeds(String python, String program) throws IOException, InterruptedException {
        String key = python + " " + program;
        Boolean known = KNOWN.get(key);
        if (known == null) {
            known = new ProcessBuilder(python, "-c", program)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
            KNOWN.put(key, known);
        }
        return known;
    }
}
