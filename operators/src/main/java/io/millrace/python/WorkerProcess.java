package io.millrace.python;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The start of an interpreter with the program of the workers, and the description of its end. Stateless. */
final class WorkerProcess {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The bytes that separate what was sent to a child that has ended from what its successor reads. */
    static final byte[] MARK = mark();

    /** The time for which the end of a process is awaited. */
    static final Duration END_TIMEOUT = Duration.ofSeconds(1);

    /** An exit code above this number states the signal that ended the process. */
    private static final int SIGNALLED = 128;

    private static final Map<Integer, String> SIGNALS =
            Map.of(4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    private WorkerProcess() {}

    /** Returns the settings of a task, with those that all workers have, as JSON. */
    static byte[] firstMessage(WorkerTask task) {
        Map<String, Object> values = new LinkedHashMap<>(task.settings());
        values.put("mark", HexFormat.of().formatHex(MARK));
        values.put("memory", WorkerTask.MEMORY_BYTES);
        values.put("family", task.family());
        try {
            return JSON.writeValueAsBytes(values);
        } catch (JsonProcessingException e) {
            throw new PythonException(task.call() + ": args cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * Starts the interpreter of a task.
     *
     * @throws PythonException when there is no interpreter
     */
    static Process start(WorkerTask task) {
        ProcessBuilder builder =
                new ProcessBuilder(task.interpreter().command(), "-u", "-c", WorkerProgram.bootstrap());
        // The order of a set of texts would differ from process to process.
        builder.environment().put("PYTHONHASHSEED", "0");
        // There is a worker for each slot, so threads within a call would only compete with other slots.
        for (String threads : new String[] {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
            builder.environment().putIfAbsent(threads, "1");
        }
        builder.environment().put(StartedProcesses.VARIABLE, StartedProcesses.mark());
        try {
            return builder.start();
        } catch (IOException e) {
            String found = e.getMessage() == null ? e.toString() : e.getMessage();
            throw new PythonException(
                    "cannot start Python with " + task.interpreter().command() + " ("
                            + task.interpreter().origin() + "): "
                            + found.substring(found.lastIndexOf(": ") + 1).strip(),
                    e);
        }
    }

    private static byte[] mark() {
        byte[] mark = new byte[16];
        new SecureRandom().nextBytes(mark);
        return mark;
    }

    /** Reads a message of JSON. */
    static JsonNode json(ByteBuffer message) throws IOException {
        byte[] json = new byte[message.remaining()];
        message.get(json);
        return JSON.readTree(json);
    }

    /** Describes the end of the process, which is awaited for a short time. */
    static String end(Process process) {
        try {
            if (!process.waitFor(END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                return "closed its channel";
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            return "was ended by an interrupt";
        }
        int code = process.exitValue();
        return end(code <= SIGNALLED ? code : SIGNALLED - code);
    }

    /** Describes an end by its exit code, which is negative for a signal. */
    static String end(int code) {
        if (code >= 0) {
            return "ended with exit code " + code;
        }
        int signal = -code;
        return "was killed by signal " + signal + (SIGNALS.containsKey(signal) ? " (" + SIGNALS.get(signal) + ")" : "");
    }
}
