package io.millrace.python;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a worker.
 *
 * @param name the worker's name in the log, such as {@code python-0}
 * @param executable the interpreter; empty for {@code MILLRACE_PYTHON} or else {@code python3}
 * @param path the folders and zip files of the user's modules
 * @param call the module and the function, as {@code module:function}
 * @param args the keyword arguments for the factory of the function; null when {@code call} names the function itself
 * @param tensors whether the function gets torch tensors
 * @param seed whether the global random generators are seeded before each call
 * @param timeout the longest time of a call
 */
record WorkerSettings(
        String name,
        Optional<String> executable,
        List<String> path,
        String call,
        @Nullable Map<?, ?> args,
        boolean tensors,
        boolean seed,
        Duration timeout) {
    /** The environment variable with the path of the interpreter. */
    static final String VARIABLE = "MILLRACE_PYTHON";

    /**
     * The address space of the shared memory: one half for a sample and one half for its result. Pages that are never
     * written need no memory.
     */
    static final int MEMORY_BYTES = 1 << 30;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Returns the command of the interpreter. */
    String interpreter() {
        return executable.orElseGet(
                () -> Optional.ofNullable(System.getenv(VARIABLE)).orElse("python3"));
    }

    /** Returns the origin of the interpreter, for messages. */
    String interpreterOrigin() {
        if (executable.isPresent()) {
            return "python.executable";
        }
        return System.getenv(VARIABLE) != null
                ? "environment variable " + VARIABLE
                : "python3 of the PATH; set" + " python.executable or " + VARIABLE + " to choose another";
    }

    /** Returns the first message to the worker. */
    byte[] message() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("worker", "transform");
        values.put("path", path);
        values.put("call", call);
        values.put("args", args);
        values.put("tensors", tensors);
        values.put("seed", seed);
        values.put("memory", MEMORY_BYTES);
        try {
            return JSON.writeValueAsBytes(values);
        } catch (JsonProcessingException e) {
            throw new PythonException(call + ": args cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }
}
