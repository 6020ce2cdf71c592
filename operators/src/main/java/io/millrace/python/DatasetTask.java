package io.millrace.python;

import io.millrace.dataset.fields.FieldSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The work of a worker that gets the items of a dataset.
 *
 * @param path the folders and zip files of the user's modules
 * @param call the dataset, or the class or function that makes it, as {@code module:name}
 * @param args the keyword arguments of the class or function; null for none
 * @param fields the chosen fields; empty for all
 * @param seed whether the global random generators are seeded before each item
 * @param initSeed the seed of the global random generators while the dataset is made
 * @param timeout the longest time of an item
 * @param startTimeout the longest time in which the modules are imported and the dataset is made
 */
record DatasetTask(
        String name,
        Interpreter interpreter,
        List<String> path,
        String call,
        @Nullable Map<?, ?> args,
        Optional<List<FieldSource>> fields,
        boolean seed,
        long initSeed,
        Duration timeout,
        Duration startTimeout)
        implements WorkerTask {
    DatasetTask named(String other) {
        return new DatasetTask(other, interpreter, path, call, args, fields, seed, initSeed, timeout, startTimeout);
    }

    @Override
    public boolean family() {
        return true;
    }

    @Override
    public Map<String, Object> settings() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("worker", "dataset");
        values.put("path", path);
        values.put("call", call);
        values.put("args", args);
        values.put(
                "fields",
                fields.map(chosen -> chosen.stream()
                                .map(field -> List.of(field.name(), field.from()))
                                .toList())
                        .orElse(null));
        values.put("seed", seed);
        values.put("init_seed", initSeed);
        return values;
    }
}
