package io.millrace.python;

import io.millrace.dataset.Dataset;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Datasets of the format {@code python}, of a module of a test. */
final class PythonDatasetFixture {
    private PythonDatasetFixture() {}

    /** Opens a dataset of a module {@code data} with this text. */
    static Dataset open(Path folder, String module, String name) throws Exception {
        return open(folder, module, Map.of("dataset", "data:" + name));
    }

    static Dataset open(Path folder, String module, Map<String, ?> options) throws Exception {
        Files.writeString(folder.resolve("data.py"), module);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("executable", PythonFixture.interpreter());
        all.put("path", List.of(folder.toString()));
        all.putAll(options);
        PythonDatasetFormat format = new PythonDatasetFormat();
        return format.open(OptionValues.of(format.options(), all));
    }

    /** Begins to read all samples of an epoch in order. */
    static Dataset.Reading reading(Dataset dataset, int epoch) throws IOException {
        return dataset.reading(new SampleRandom(42, SampleRandom.READ), epoch, (int) dataset.size(), i -> i);
    }
}
