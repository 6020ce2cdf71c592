package io.millrace.python;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a worker that calls a function.
 *
 * @param name the worker's name in the log, such as {@code python-0}
 * @param interpreter the interpreter that runs the worker
 * @param path the folders and zip files of the user's modules
 * @param call the module and the function, as {@code module:function}
 * @param args the keyword arguments for the factory of the function; null when {@code call} names the function itself
 * @param tensors whether the function gets torch tensors
 * @param seed whether the global random generators are seeded before each call
 * @param timeout the longest time of a call
 */
record WorkerSettings(
        String name,
        Interpreter interpreter,
        List<String> path,
        String call,
        @Nullable Map<?, ?> args,
        boolean tensors,
        boolean seed,
        Duration timeout)
        implements WorkerTask {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public byte[] message() {
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
