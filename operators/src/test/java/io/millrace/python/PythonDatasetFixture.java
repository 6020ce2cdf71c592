package io.millrace.python;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.dataset.types.TypeInspection;
import io.millrace.lifecycle.Handles;
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

    /** Opens a dataset as a run does, which settles its fields from its samples in storage order. */
    static Dataset settled(Path folder, String module, Map<String, ?> options) throws Exception {
        Dataset dataset = open(folder, module, options);
        try {
            return SettledDataset.of(dataset, TypeInspection.of("data", dataset, place -> place));
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, dataset);
            throw e;
        }
    }

    /** Begins to read all samples of an epoch in order. */
    static Dataset.Reading reading(Dataset dataset, int epoch) throws IOException {
        return dataset.reading(new SampleRandom(42, SampleRandom.READ), epoch, (int) dataset.size(), i -> i);
    }
}
