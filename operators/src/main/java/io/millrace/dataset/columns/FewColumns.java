package io.millrace.dataset.columns;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.types.Widening;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Some of the columns, without the label. The other columns are not read. Numbers have the type that suits all files, because the
 * first rows may come from one file only.
 *
 * @param columns the numbers of the columns
 * @param types the element type of each column; empty: as it is stored
 */
record FewColumns(TableDataset dataset, List<Integer> columns, List<Optional<DType>> types) implements Dataset {
    @Override
    public long size() {
        return dataset.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        Sample sample = dataset.read(index, columns);
        for (int i = 0; i < columns.size(); i++) {
            String name = dataset.name(columns.get(i));
            types.get(i).ifPresent(type -> widen(sample, name, type));
        }
        return sample;
    }

    private static void widen(Sample sample, String name, DType type) {
        Field wide = Widening.of(sample.field(name), type);
        if (wide != null) {
            sample.put(name, wide);
        }
    }

    @Override
    public List<String> classes() {
        return dataset.classes();
    }

    @Override
    public void close() {}
}
