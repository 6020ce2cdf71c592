package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests of the Python client and of its examples, which start servers. The environment variable
 * {@code MILLRACE_TEST_PYTHON} names the interpreter, which then must be usable; the default is {@code python3}.
 */
@Tag("processes")
class PythonClientE2E {
    private static final String VARIABLE = "MILLRACE_TEST_PYTHON";
    private static final Path PACKAGE = Path.of("..", "python").toAbsolutePath().normalize();
    private static final int MOST_MINUTES = 40;

    @TempDir
    Path folder;

    private record Ended(int exitCode, String output) {}

    private Ended run(List<String> command) throws Exception {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command).directory(PACKAGE.toFile());
        builder.environment()
                .put(
                        "MILLRACE_TEST_LAUNCHER",
                        new ClientProcess(folder).launcher().toString());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = process.waitFor(MOST_MINUTES, TimeUnit.MINUTES);
            String printed = Files.readString(output, StandardCharsets.UTF_8);
            assertThat(ended)
                    .as("not done after %d minutes: %s", MOST_MINUTES, printed)
                    .isTrue();
            return new Ended(process.exitValue(), printed);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Returns the interpreter, or skips the test where there is none that can run it. */
    private String interpreter() throws Exception {
        Optional<String> given = Optional.ofNullable(System.getenv(VARIABLE));
        String python = given.orElse("python3");
        String missing;
        try {
            Ended found = run(List.of(python, "-c", "import sys, numpy, pytest; sys.exit(sys.version_info < (3, 9))"));
            missing = found.exitCode == 0 ? "" : "Python 3.9 or newer with numpy and pytest: " + found.output;
        } catch (IOException e) {
            missing = e.toString();
        }
        assertThat(given.isPresent() ? missing : "")
                .as("%s=%s cannot run the tests", VARIABLE, python)
                .isEmpty();
        Assumptions.assumeTrue(missing.isEmpty(), python + " cannot run the tests: " + missing);
        return python;
    }

    @Test
    @Timeout(value = MOST_MINUTES + 1, unit = TimeUnit.MINUTES)
    void pythonClientPassesItsTests() throws Exception {
        Ended ended = run(List.of(interpreter(), "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"));
        assertThat(ended.exitCode).as(ended.output).isZero();
        assertThat(ended.output).containsPattern("[0-9]{3} passed");
    }
}
