package io.millrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.Sample;
import io.millrace.sample.StoredRows;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;

/** The check that the rows of a dataset are its samples. */
public final class RowsOf {
    private RowsOf() {}

    /** Asserts that every sample has the fields, the key and the values of its row. */
    public static void assertAreTheSamples(Dataset dataset) throws IOException {
        StoredRows rows = Objects.requireNonNull(dataset.rows());
        for (long index = 0; index < dataset.size(); index++) {
            Sample sample = dataset.read(index);
            assertThat(rows.key(index)).isEqualTo(sample.key());
            assertThat(dataset.label(index)).isEqualTo(sample.label());
            assertThat(rows.columns())
                    .extracting(StoredRows.Column::name)
                    .containsExactlyElementsOf(sample.fieldNames());
            for (int column = 0; column < rows.columns().size(); column++) {
                StoredRows.Column found = rows.columns().get(column);
                assertThat(found).isEqualTo(StoredRows.Column.of(found.name(), sample.field(found.name())));
                rows.load(column, index);
                ByteBuffer copy = ByteBuffer.allocateDirect(Math.toIntExact(found.bytes()));
                rows.copy(column, index, MemoryUtil.getByteBufferAddress(copy));
                byte[] bytes = new byte[copy.capacity()];
                copy.get(bytes);
                assertThat(bytes).isEqualTo(sample.field(found.name()).data());
            }
        }
    }
}
