package io.millrace.python;

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
 * @param startTimeout the longest time in which the modules are imported and the factory is called
 * @param then the settings of the transforms directly behind, which the same process applies in the same call
 */
record WorkerSettings(
        String name,
        Interpreter interpreter,
        List<String> path,
        String call,
        @Nullable Map<?, ?> args,
        boolean tensors,
        boolean seed,
        Duration timeout,
        Duration startTimeout,
        List<WorkerSettings> then)
        implements WorkerTask {
    /** The largest number of functions that a process calls for a sample. */
    static final int MOST_STAGES = 255;

    /** Returns the settings of a process that also applies the transforms directly behind. */
    WorkerSettings before(List<WorkerSettings> others) {
        return new WorkerSettings(
                name, interpreter, path, call, args, tensors, seed, timeout, startTimeout, List.copyOf(others));
    }

    /** Returns the number of functions that the process calls for a sample. */
    int stages() {
        return 1 + then.size();
    }

    /** Returns the settings of one of the transforms that the process applies, from 0. */
    WorkerSettings stage(int number) {
        return number == 0 ? this : then.get(number - 1);
    }

    @Override
    public String call(int number) {
        return stage(Math.min(number, then.size())).call();
    }

    private Map<String, Object> function() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("path", path);
        values.put("call", call);
        values.put("args", args);
        values.put("tensors", tensors);
        values.put("seed", seed);
        return values;
    }

    @Override
    public Map<String, Object> settings() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("worker", "transform");
        values.putAll(function());
        values.put("then", then.stream().map(WorkerSettings::function).toList());
        return values;
    }
}
