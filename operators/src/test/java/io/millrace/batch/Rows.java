package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import org.apache.arrow.memory.util.MemoryUtil;

/** Samples whose every byte follows from their position, and the check that a row contains exactly these bytes. */
final class Rows {
    /** Columns of an image and a small vector of floats. */
    static final BatchSpec IMAGE_AND_MASK = new BatchSpec(List.of(
            new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(2, 3, 3)),
            new BatchSpec.Column("mask", DType.FLOAT32, List.of(2))));

    /** Returns the good sample at a position. */
    static Sample good(BatchSpec spec, long position) {
        Sample sample = new Sample(7 * position + 3, "train/" + position + ".png", position % 10);
        for (int i = 0; i < spec.columns().size(); i++) {
            BatchSpec.Column column = spec.columns().get(i);
            sample.put(column.name(), field(column, i, position));
        }
        return sample.placeAt(position, 0, Split.TRAIN);
    }

    /** Returns the quarantined sample at a position. */
    static Sample bad(BatchSpec spec, long position) {
        Sample sample = good(spec, position);
        sample.quarantine(new BadSample(
                "decode",
                "data/photos",
                sample.key(),
                position - 1,
                "expected an image, found \u00ab\u20ac\u00bb " + position));
        return sample;
    }

    /** Asserts that a row contains the sample that {@link #good} or {@link #bad} makes for its position. */
    static void check(MicroBatch batch, int row) {
        long position = batch.position(row);
        assertThat(batch.index(row)).isEqualTo(7 * position + 3);
        assertThat(batch.label(row)).isEqualTo(position % 10);
        if (batch.isQuarantined(row)) {
            assertThat(batch.badSample(row))
                    .isEqualTo(bad(batch.spec(), position).badSample());
            return;
        }
        assertThat(batch.badSample(row)).isNull();
        for (int i = 0; i < batch.spec().columns().size(); i++) {
            BatchSpec.Column column = batch.spec().columns().get(i);
            byte[] found = new byte[batch.bytes(i, row)];
            MemoryUtil.copyFromMemory(batch.address(i, row), found, 0, found.length);
            assertThat(found).as(column.describe()).isEqualTo(sent(column, field(column, i, position)));
        }
    }

    /** Returns columns of every element type and form, with shapes of several lengths. */
    static Arbitrary<BatchSpec.Column> anyColumn() {
        Arbitrary<List<Integer>> shapes =
                Arbitraries.integers().between(1, 12).list().ofMaxSize(3);
        Arbitrary<Form> forms = Arbitraries.of(Form.class);
        Arbitrary<DType> dtypes = Arbitraries.of(DType.class).filter(dtype -> dtype != DType.ENCODED);
        return Combinators.combine(dtypes, shapes, forms)
                .as((dtype, shape, form) -> new BatchSpec.Column(
                        "c",
                        form == Form.BITS ? DType.BOOL : dtype,
                        shape,
                        FieldKind.TENSOR,
                        form == Form.SPARSE && shape.isEmpty() ? Form.DENSE : form));
    }

    /** Returns specs of up to three columns with different names. */
    static Arbitrary<BatchSpec> anySpec() {
        return anyColumn().list().ofMaxSize(3).map(columns -> {
            List<BatchSpec.Column> named = new ArrayList<>();
            for (BatchSpec.Column c : columns) {
                named.add(new BatchSpec.Column("column" + named.size(), c.dtype(), c.shape(), c.kind(), c.form()));
            }
            return new BatchSpec(named);
        });
    }

    /**
     * Returns a field of a column. Ragged rows have 0 to 4 entries, and three of four elements of sparse rows are 0.
     */
    private static Field field(BatchSpec.Column column, int number, long position) {
        IntStream.Builder shape = IntStream.builder();
        if (column.form() == Form.RAGGED) {
            shape.add(Math.floorMod(Objects.hash(position, number), 5));
        }
        column.shape().forEach(shape::add);
        int[] extents = shape.build().toArray();
        byte[] data = new byte[IntStream.of(extents).reduce(column.dtype().bytes(), (x, y) -> x * y)];
        for (int k = 0; k < data.length; k++) {
            data[k] = (byte) Objects.hash(position, number, k);
            if (column.form() == Form.BITS) {
                data[k] &= 1;
            }
            int element = k / column.dtype().bytes();
            if (column.form() == Form.SPARSE && Math.floorMod(Objects.hash(position, element), 4) != 0) {
                data[k] = 0;
            }
        }
        return Field.of(column.dtype(), extents, data);
    }

    private static byte[] sent(BatchSpec.Column column, Field field) {
        if (column.form() == Form.SPARSE) {
            return entries(column, field.data());
        }
        if (column.form() != Form.BITS) {
            return field.data();
        }
        BitSet bits = new BitSet();
        for (int i = 0; i < field.data().length; i++) {
            bits.set(i, field.data()[i] != 0);
        }
        return Arrays.copyOf(bits.toByteArray(), column.rowBytes());
    }

    private static byte[] entries(BatchSpec.Column column, byte[] data) {
        ByteArrayOutputStream entries = new ByteArrayOutputStream();
        int width = column.dtype().bytes();
        for (int element = 0; element < data.length / width; element++) {
            byte[] value = Arrays.copyOfRange(data, element * width, (element + 1) * width);
            if (!Arrays.equals(value, new byte[width])) {
                entries.writeBytes(ByteBuffer.allocate(4)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(element)
                        .array());
                entries.writeBytes(value);
            }
        }
        return entries.toByteArray();
    }

    private Rows() {}
}
