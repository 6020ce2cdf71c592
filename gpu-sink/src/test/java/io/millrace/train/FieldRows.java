package io.millrace.train;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Split;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** The rows of fields.safetensors as the columns of a batch. They arrive out of order. */
public record FieldRows(Vectors vectors) {
    public static final BatchSpec.Column IMAGE = new BatchSpec.Column("image", DType.UINT8, List.of(7, 5, 3));
    public static final BatchSpec.Column MASK =
            new BatchSpec.Column("mask", DType.UINT8, List.of(7, 5, 1), FieldKind.MASK, Form.DENSE);
    public static final BatchSpec.Column BITS =
            new BatchSpec.Column("bits", DType.UINT8, List.of(7, 5, 1), FieldKind.MASK, Form.BITS);
    public static final BatchSpec.Column SEVERAL =
            new BatchSpec.Column("several", DType.BOOL, List.of(4), FieldKind.TENSOR, Form.BITS);
    public static final BatchSpec.Column VALUES = new BatchSpec.Column("values", DType.FLOAT32, List.of(4));
    public static final BatchSpec.Column PLACE = new BatchSpec.Column("place", DType.FLOAT32, List.of(2));
    public static final BatchSpec.Column TEXT =
            new BatchSpec.Column("text", DType.UINT8, List.of(), FieldKind.RAGGED, Form.RAGGED);
    public static final BatchSpec.Column CLASSES =
            new BatchSpec.Column("classes", DType.INT64, List.of(), FieldKind.RAGGED, Form.RAGGED);

    /** Fills a batch with the given rows. The other rows are missing. */
    public void fill(DeviceBatch batch, Split split, List<Integer> present) {
        fill(batch, 0, split, present);
    }

    /** Fills a batch of a step with the given rows. */
    public void fill(DeviceBatch batch, long step, Split split, List<Integer> present) {
        batch.begin(step, step, 0, split, vectors.rows());
        for (int row : List.of(3, 0, 5, 1, 4, 2)) {
            if (!present.contains(row)) {
                continue;
            }
            for (int column = 0; column < batch.spec().columns().size(); column++) {
                byte[] bytes = sent(batch.spec().columns().get(column), row);
                try (AlignedMemory memory = AlignedMemory.allocate(bytes.length, "a row")) {
                    memory.buffer().put(0, bytes);
                    batch.filling().put(column, row, memory.address(), bytes.length);
                }
            }
            batch.filling().place(row, row, row, vectors.longs("labels")[row]);
        }
        batch.seal();
    }

    private byte[] sent(BatchSpec.Column column, int row) {
        return switch (column.name()) {
            case "image" -> dense("images", row);
            case "mask" -> dense("masks", row);
            case "values" -> dense("values", row);
            case "place" -> dense("places", row);
            case "bits" -> packed(dense("bits", row));
            case "several" -> packed(dense("several", row));
            case "text" -> ragged("texts", "text_lengths", 1, row);
            case "classes" -> ragged("lists", "list_lengths", Long.BYTES, row);
            default -> throw new IllegalArgumentException(column.name());
        };
    }

    private byte[] dense(String name, int row) {
        byte[] all = all(name);
        int size = all.length / vectors.rows();
        return Arrays.copyOfRange(all, row * size, (row + 1) * size);
    }

    private byte[] all(String name) {
        byte[] all = new byte[vectors.tensor(name).values().remaining()];
        vectors.tensor(name).values().get(0, all);
        return all;
    }

    private static byte[] packed(byte[] values) {
        BitSet bits = new BitSet();
        for (int i = 0; i < values.length; i++) {
            bits.set(i, values[i] != 0);
        }
        return Arrays.copyOf(bits.toByteArray(), (values.length + 7) / 8);
    }

    private byte[] ragged(String name, String lengths, int entryBytes, int row) {
        long[] counts = vectors.longs(lengths);
        int from = (int) Arrays.stream(counts, 0, row).sum() * entryBytes;
        return Arrays.copyOfRange(all(name), from, from + (int) counts[row] * entryBytes);
    }
}
