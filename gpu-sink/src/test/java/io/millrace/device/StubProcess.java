package io.millrace.device;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A process of its own that finds the stubs of the driver and of NVML as a program finds the real libraries, and that runs
 * until it is killed or its input ends. For tests with several processes, and for what can be done only once in a process.
 */
final class StubProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private StubProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts a process; skips the test when the stubs cannot be built.
     *
     * @param environment additional variables
     * @param options options of Java
     */
    static StubProcess start(Map<String, String> environment, List<String> options, Class<?> main, String... arguments)
            throws IOException {
        Path libraries = Objects.requireNonNull(
                StubDriver.built("cuda_stub.c", "libcuda.so.1").getParent());
        StubDriver.built("nvml_stub.c", "libnvidia-ml.so.1");
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(JavaProgram.QUICK_START, "-Xmx64m"));
        ProcessBuilder builder = new ProcessBuilder(JavaProgram.command(all, main, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("LD_LIBRARY_PATH", libraries.toString());
        builder.environment().remove("CUDA_VISIBLE_DEVICES");
        builder.environment().remove("CUDA_DEVICE_ORDER");
        builder.environment().putAll(environment);
        return new StubProcess(builder.start());
    }

    /** Returns the next line of the output that begins with {@code ": "}, without it; null at the end of the output. */
    @Nullable
    String line() throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(": ")) {
                return line.substring(2);
            }
        }
        return null;
    }

    /** Kills the process, as the system does when memory runs out, and waits for its end. */
    void kill() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
