package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.DType;
import io.millrace.sample.Failure;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;

/** Samples whose every byte follows from their position, and the check that a row holds just those. */
final class Rows {
    /** An image and a small vector of floats. */
    static final BatchSpec IMAGE_AND_MASK = new BatchSpec(List.of(
            new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(2, 3, 3)),
            new BatchSpec.Column("mask", DType.FLOAT32, List.of(2))));

    /** The sample at a position. */
    static Sample good(BatchSpec spec, long position) {
        Sample sample = new Sample(7 * position + 3, "train/" + position + ".png", position % 10);
        for (int i = 0; i < spec.columns().size(); i++) {
            BatchSpec.Column column = spec.columns().get(i);
            int[] shape = column.shape().stream().mapToInt(e -> e).toArray();
            sample.put(column.name(), Field.of(column.dtype(), shape, bytes(column, i, position)));
        }
        return sample.placeAt(position, 0, Split.TRAIN);
    }

    /** A quarantined sample at a position. */
    static Sample bad(BatchSpec spec, long position) {
        Sample sample = good(spec, position);
        sample.quarantine(new Failure(
                "decode",
                "data/photos",
                sample.key(),
                position - 1,
                "expected an image, found \u00ab\u20ac\u00bb " + position));
        return sample;
    }

    /** Asserts that the row holds what {@link #good} or {@link #bad} made for its position. */
    static void check(MicroBatch batch, int row) {
        long position = batch.position(row);
        assertThat(batch.index(row)).isEqualTo(7 * position + 3);
        assertThat(batch.label(row)).isEqualTo(position % 10);
        if (batch.isQuarantined(row)) {
            assertThat(batch.failure(row)).isEqualTo(bad(batch.spec(), position).failure());
            return;
        }
        assertThat(batch.failure(row)).isNull();
        for (int i = 0; i < batch.spec().columns().size(); i++) {
            BatchSpec.Column column = batch.spec().columns().get(i);
            byte[] found = new byte[column.rowBytes()];
            MemoryUtil.copyFromMemory(batch.address(i, row), found, 0, found.length);
            assertThat(found).isEqualTo(bytes(column, i, position));
        }
    }

    private static byte[] bytes(BatchSpec.Column column, int number, long position) {
        byte[] data = new byte[column.rowBytes()];
        for (int k = 0; k < data.length; k++) {
            data[k] = (byte) Objects.hash(position, number, k);
        }
        return data;
    }

    private Rows() {}
}
