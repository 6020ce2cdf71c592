package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.engine.EngineException;
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The CUDA driver of {@code src/test/native/cuda_stub.c}, built by gcc and loaded into this process before JCuda loads
 * {@code libcuda.so.1}: the linker then uses the library of that name that is loaded already. Tests are skipped when
 * there is no gcc, when JCuda has no library, or when tests on a real GPU were requested. The process has one stub;
 * tests that use it run one after another.
 */
public final class StubDriver {
    /** The kinds of handles that the stub counts. */
    public enum Kind {
        CONTEXT(0),
        PAGE_LOCKED(1),
        DEVICE_MEMORY(2),
        STREAM(3),
        EVENT(4);

        private final int number;

        Kind(int number) {
            this.number = number;
        }
    }

    /** CUDA_ERROR_UNKNOWN; any other error would do. */
    public static final int UNKNOWN = 999;

    private static final int VERSION = 12080;
    private static final int COMPILE_SECONDS = 300;

    /** The libraries that this process has built, by name. */
    private static final Map<String, Path> BUILT = new HashMap<>();

    private static final class Holder {
        static final @Nullable String MISSING;
        static final @Nullable NativeLibrary LIBRARY;

        static {
            String missing = RealGpu.requested()
                    ? "a process has one driver, and " + RealGpu.VARIABLE + "=1 asks for that of a GPU"
                    : null;
            NativeLibrary library = null;
            if (missing == null) {
                try {
                    Path built = build("cuda_stub.c", "libcuda.so.1");
                    System.load(built.toString());
                    library = NativeLibrary.getInstance(built.toString());
                } catch (NoCompilerException e) {
                    missing = e.getMessage();
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            MISSING = missing;
            LIBRARY = library;
        }
    }

    private static final class NoCompilerException extends Exception {
        private static final long serialVersionUID = 1;

        NoCompilerException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Skips a class of tests with a reason when the stub cannot be built. */
    public static final class Needed implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return Holder.MISSING == null
                    ? ConditionEvaluationResult.enabled("the stub of the driver is loaded")
                    : ConditionEvaluationResult.disabled(Holder.MISSING);
        }
    }

    private StubDriver() {}

    /** Returns the driver for one device, just loaded, without pauses; skips the test when it cannot be built. */
    public static StubDriver fresh() {
        return fresh(1, 0);
    }

    /**
     * Returns the driver for several devices, just loaded.
     *
     * @param devices the number of devices, at most 4
     * @param pauseMicros the longest pause before a piece of work is done; one in four pieces has a pause
     */
    public static StubDriver fresh(int devices, int pauseMicros) {
        Assumptions.assumeTrue(Holder.MISSING == null, Holder.MISSING);
        StubDriver driver = new StubDriver();
        driver.reset(devices, VERSION, pauseMicros);
        return driver;
    }

    /** Returns a path that only this process uses, because another process may load a stub of its own. */
    private static Path target() {
        return Path.of(
                        "target",
                        "cuda-stub",
                        String.valueOf(ProcessHandle.current().pid()))
                .toAbsolutePath();
    }

    /** Builds a library for tests from {@code src/test/native}; skips the test when it cannot be built. */
    public static Path built(String source, String name) {
        try {
            return build(source, name);
        } catch (NoCompilerException e) {
            Assumptions.abort(e.getMessage());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        throw new IllegalStateException("aborting returns nowhere");
    }

    /** Builds a library once: a process that was started with it may be loading it. */
    private static synchronized Path build(String source, String name)
            throws IOException, InterruptedException, NoCompilerException {
        Path known = BUILT.get(name);
        if (known != null) {
            return known;
        }
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            throw new NoCompilerException("the stub of the CUDA driver is for Linux x86_64, as JCuda's library", null);
        }
        Path library = target().resolve(name);
        Files.createDirectories(target());
        Path log = target().resolve(name + ".log");
        List<String> command = List.of(
                "gcc",
                "-std=gnu11",
                "-O1",
                "-g",
                "-fPIC",
                "-shared",
                "-pthread",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wl,-soname," + name,
                "-Wl,-Bsymbolic", // calls within the library stay in it, even if a copy of it was loaded before
                "src/test/native/" + source,
                "-o",
                library.toString());
        Process gcc;
        try {
            gcc = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            throw new NoCompilerException("the stub of the CUDA driver needs gcc: " + e.getMessage(), e);
        }
        if (!gcc.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) || gcc.exitValue() != 0) {
            throw new IllegalStateException("the stub does not compile: " + Files.readString(log));
        }
        BUILT.put(name, library);
        return library;
    }

    private void reset(int devices, int version, int pauseMicros) {
        function("stub_reset").invokeVoid(new Object[] {devices, version, pauseMicros});
    }

    /**
     * Resets the driver to its state after loading, with a version, such as 12080 for CUDA 12.8, and a number of
     * devices.
     */
    public void resetTo(int devices, int version) {
        reset(devices, version, 0);
    }

    /**
     * Opens a device of the stub whose memory is that of an engine on the CPU: a run on a GPU without the GPU. The
     * engine must be loaded already.
     */
    public static CudaDevice rehearse(int number) {
        return CudaDevice.rehearsing(number, new Adopting());
    }

    private static final class Adopting implements EngineAllocations {
        private static final int OUT_OF_MEMORY = 2;

        @Override
        public void allocated(int device, long address, long bytes) {
            int answer = function("stub_adopt").invokeInt(new Object[] {device, address, bytes});
            if (answer == OUT_OF_MEMORY) {
                throw new EngineException(
                        "CUDA out of memory. Tried to allocate " + bytes + " bytes. GPU " + device + " is the stub's");
            }
        }

        @Override
        public void freeing(long address) {
            function("stub_disown").invokeVoid(new Object[] {address});
        }
    }

    /** Returns the flags of a device's primary context. */
    public int contextFlags(int device) {
        return function("stub_flags").invokeInt(new Object[] {device});
    }

    /** Retains a device's context with flags, as another part of the process might do before Millrace. */
    public void retain(int device, int flags) {
        function("stub_retain").invokeVoid(new Object[] {device, flags});
    }

    /** Releases a context that was {@link #retain retained}. */
    public void release(int device) {
        function("stub_release").invokeVoid(new Object[] {device});
    }

    /** Limits the memory that may be page-locked, and the memory of each device. */
    public void limit(long pageLockedBytes, long deviceBytes) {
        function("stub_limits").invokeVoid(new Object[] {pageLockedBytes, deviceBytes});
    }

    /** Makes the n-th call from now fail, where 1 is the next call and 0 is none. */
    public void failAt(long n, int code) {
        function("stub_fail").invokeVoid(new Object[] {n, code, 0});
    }

    /** Makes the n-th call from now fail, and all calls after it. */
    public void failFrom(long n, int code) {
        function("stub_fail").invokeVoid(new Object[] {n, code, 1});
    }

    /** Returns whether the call that was to fail has been made. */
    public boolean hasFailed() {
        return function("stub_failed").invokeInt(new Object[0]) != 0;
    }

    /** Returns the function that failed last; empty before that. */
    public String failedCall() {
        return function("stub_failed_call").invokePointer(new Object[0]).getString(0, StandardCharsets.UTF_8.name());
    }

    /** Stops the engine's streams, as if a step took its time. */
    public void holdEngine() {
        function("stub_hold_engine").invokeVoid(new Object[] {1});
    }

    /** Lets the engine's streams continue. */
    public void releaseEngine() {
        function("stub_hold_engine").invokeVoid(new Object[] {0});
    }

    /** Returns the number of calls since the driver was loaded. */
    public long calls() {
        return number("stub_calls");
    }

    /** Returns the number of copies between the device and page-locked memory. */
    public long pinnedCopies() {
        return number("stub_pinned_copies");
    }

    /** Returns the number of copies between the device and other memory of the process. */
    public long pageableCopies() {
        return number("stub_pageable_copies");
    }

    /** Returns the number of copies within a device. */
    public long copiesWithin() {
        return number("stub_copies_within");
    }

    /** Returns the calls that broke a rule, one line each. */
    public List<String> violations() {
        return function("stub_violations")
                .invokePointer(new Object[0])
                .getString(0, StandardCharsets.UTF_8.name())
                .lines()
                .toList();
    }

    /** Removes the violations that a test caused on purpose. */
    public void forgetViolations() {
        function("stub_forget_violations").invokeVoid(new Object[0]);
    }

    /** Returns the number of open handles of a kind. */
    public long alive(Kind kind) {
        return (long) function("stub_alive").invoke(Long.class, new Object[] {kind.number});
    }

    /** Fails when a handle is open, or a rule was broken. */
    public void assertClean(String when) {
        List<String> left = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (alive(kind) != 0) {
                left.add(alive(kind) + " " + kind);
            }
        }
        assertThat(left).as("left alive %s", when).isEmpty();
        assertThat(violations()).as("broken rules %s", when).isEmpty();
    }

    private static long number(String name) {
        return (long) function(name).invoke(Long.class, new Object[0]);
    }

    private static Function function(String name) {
        NativeLibrary library = Holder.LIBRARY;
        if (library == null) {
            throw new IllegalStateException("the stub is not loaded");
        }
        return library.getFunction(name);
    }
}
