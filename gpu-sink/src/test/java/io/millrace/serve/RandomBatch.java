package io.millrace.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A batch of random rows, some of which are quarantined; a padded row if all are. */
final class RandomBatch {
    /** Columns of all forms. */
    static final BatchSpec SPEC = new BatchSpec(List.of(
            new BatchSpec.Column("image", DType.UINT8, List.of(5, 3, 3)),
            new BatchSpec.Column("text", DType.UINT8, List.of(), FieldKind.RAGGED, Form.RAGGED),
            new BatchSpec.Column("mask", DType.BOOL, List.of(3, 7, 1), FieldKind.MASK, Form.BITS),
            new BatchSpec.Column("boxes", DType.FLOAT32, List.of(4), FieldKind.RAGGED, Form.RAGGED),
            new BatchSpec.Column("points", DType.INT16, List.of(100), FieldKind.TENSOR, Form.SPARSE),
            new BatchSpec.Column("weight", DType.FLOAT16, List.of(), FieldKind.TENSOR, Form.DENSE, DType.FLOAT32)));

    private final BatchSpec spec;
    private final BatchPlan.Batch planned;
    private final Random random;

    /** The present rows, by place: the bytes of each column in wire form. */
    private final TreeMap<Integer, List<byte[]>> rows = new TreeMap<>();

    /**
     * Makes the rows.
     *
     * @param entries the largest number of entries of a ragged or sparse row
     */
    RandomBatch(BatchSpec spec, BatchPlan.Batch planned, int entries, Random random) {
        this.spec = spec;
        this.planned = planned;
        this.random = random;
        for (int row = 0; row < planned.rows(); row++) {
            if (random.nextInt(5) > 0) {
                rows.put(
                        row,
                        spec.columns().stream()
                                .map(column -> row(column, entries))
                                .toList());
            }
        }
    }

    private byte[] row(BatchSpec.Column column, int entries) {
        int count = column.varies() ? random.nextInt(entries + 1) : 0;
        byte[] bytes = new byte[column.varies() ? count * column.entryBytes() : column.rowBytes()];
        random.nextBytes(bytes);
        for (int entry = 0; column.form() == Form.SPARSE && entry < count; entry++) {
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(entry * column.entryBytes(), entry);
        }
        return bytes;
    }

    BatchPlan.Batch planned() {
        return planned;
    }

    /** Fills and seals a batch with the rows in any order. */
    void fill(DeviceBatch batch) {
        batch.begin(planned.number(), planned.step(), planned.epoch(), planned.split(), planned.rows());
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, planned.rows()).boxed().toList());
        Collections.shuffle(order, random);
        for (int row : order) {
            long position = planned.firstPosition() + row;
            List<byte[]> values = rows.get(row);
            if (values == null) {
                batch.filling().quarantine(row, position, index(row), new BadSample("read", "d", "f", -1, "bad"));
                continue;
            }
            for (int column = 0; column < values.size(); column++) {
                byte[] bytes = values.get(column);
                try (AlignedMemory source = AlignedMemory.allocate(Math.max(1, bytes.length), "a row")) {
                    source.buffer().put(bytes);
                    batch.filling().put(column, row, source.address(), bytes.length);
                }
            }
            batch.filling().place(row, position, index(row), label(row));
        }
        if (isPadded()) {
            batch.filling().pad();
        }
        batch.seal();
    }

    /** Returns whether the batch has no good row, but a padded one. */
    private boolean isPadded() {
        return rows.isEmpty();
    }

    private long index(int row) {
        return 7_000_000_000L - planned.firstPosition() - row;
    }

    private static long label(int row) {
        return row % 3 == 0 ? -1 : row * 1_000_000_007L;
    }

    /** Returns what {@link BufferReader} has to find. */
    ObjectNode expected(int generation, long bytes) {
        ObjectNode expected = JsonNodeFactory.instance.objectNode();
        expected.put("magic", "MRB1");
        expected.put("generation", generation);
        expected.put("step", planned.step());
        expected.put("epoch", planned.epoch());
        expected.put("rows", isPadded() ? 1 : rows.size());
        expected.put("planned", planned.rows());
        expected.put("position", planned.firstPosition());
        expected.put("bytes", bytes);
        expected.put("padded", isPadded() ? 1 : 0);
        expected.put("zeros", 0L);
        ObjectNode fields = expected.putObject("fields");
        ArrayNode indexes = fields.putArray("__index__");
        ArrayNode positions = fields.putArray("__position__");
        ArrayNode weights = fields.putArray("__weight__");
        ArrayNode labels = fields.putArray("label");
        if (isPadded()) {
            indexes.add(hex(-1));
            positions.add(hex(-1));
            weights.add("00000000");
            labels.add(hex(0));
            spec.columns().forEach(column -> fields.putArray(column.name()).add("00".repeat(paddedBytes(column))));
            return expected;
        }
        for (int row : rows.keySet()) {
            indexes.add(hex(index(row)));
            positions.add(hex(planned.firstPosition() + row));
            weights.add("0000803f");
            labels.add(hex(label(row)));
        }
        for (int column = 0; column < spec.columns().size(); column++) {
            ArrayNode values = fields.putArray(spec.columns().get(column).name());
            for (List<byte[]> row : rows.values()) {
                values.add(HexFormat.of().formatHex(row.get(column)));
            }
        }
        return expected;
    }

    private static int paddedBytes(BatchSpec.Column column) {
        return switch (column.form()) {
            case SPARSE -> 0;
            case RAGGED -> column.entryBytes();
            default -> column.rowBytes();
        };
    }

    private static String hex(long value) {
        return HexFormat.of()
                .formatHex(ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(value)
                        .array());
    }
}
