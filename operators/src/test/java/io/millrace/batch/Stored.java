package io.millrace.batch;

import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * A micro-batch whose bytes are stored beside the tests: as Flink's network carries it, and as an Arrow stream that
 * {@code src/test/python/read_micro_batch.py} has read. The main method writes the files anew.
 */
final class Stored {
    static final BatchSpec SPEC = Rows.IMAGE_AND_MASK;
    static final BatchSpec FIELDS_SPEC = new BatchSpec(List.of(
            new BatchSpec.Column("map", DType.UINT8, List.of(3, 5, 1), FieldKind.MASK, Form.BITS),
            new BatchSpec.Column("text", DType.UINT8, List.of(), FieldKind.RAGGED, Form.RAGGED),
            new BatchSpec.Column("boxes", DType.INT16, List.of(4), FieldKind.RAGGED, Form.RAGGED),
            new BatchSpec.Column("number", DType.FLOAT64, List.of()),
            new BatchSpec.Column("half", DType.FLOAT16, List.of(2, 2)),
            new BatchSpec.Column("tokens", DType.INT64, List.of(3))));

    static final BatchSpec WIRE_SPEC = new BatchSpec(List.of(
            new BatchSpec.Column("brain", DType.BFLOAT16, List.of(2, 3)),
            new BatchSpec.Column("ragged", DType.BFLOAT16, List.of(), FieldKind.RAGGED, Form.RAGGED),
            new BatchSpec.Column("rare", DType.FLOAT32, List.of(4, 5), FieldKind.TENSOR, Form.SPARSE),
            new BatchSpec.Column("few", DType.UINT8, List.of(3, 5, 1), FieldKind.IMAGE, Form.SPARSE)));

    static final int ROWS = 5;
    static final int QUARANTINED = 2;
    static final String VERSION_1 = "micro-batch-v1.bin";
    static final String ARROW = "micro-batch.arrows";
    static final String FIELDS_ARROW = "fields.arrows";
    static final String WIRE_ARROW = "wire.arrows";

    /** Writes the files into a directory. */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        Files.write(directory.resolve(VERSION_1), serialized());
        Files.write(directory.resolve(ARROW), arrow(SPEC));
        Files.write(directory.resolve(FIELDS_ARROW), arrow(FIELDS_SPEC));
        Files.write(directory.resolve(WIRE_ARROW), arrow(WIRE_SPEC));
    }

    static byte[] bytes(String file) throws IOException {
        try (InputStream in = Objects.requireNonNull(Stored.class.getResourceAsStream(file), file)) {
            return in.readAllBytes();
        }
    }

    static byte[] serialized() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        try (RootAllocator allocator = new RootAllocator();
                Packer packer = filled(allocator, SPEC);
                MicroBatch batch = packer.flush()) {
            new MicroBatchSerializer(SPEC).serialize(batch, out);
        }
        return out.getCopyOfBuffer();
    }

    static byte[] arrow(BatchSpec spec) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (RootAllocator allocator = new RootAllocator();
                Packer packer = filled(allocator, spec);
                MicroBatch batch = packer.flush()) {
            batch.writeTo(out);
        }
        return out.toByteArray();
    }

    private static Packer filled(RootAllocator allocator, BatchSpec spec) {
        Packer packer = new Packer(allocator, spec, PackLimits.ofRows(64));
        for (int row = 0; row < ROWS; row++) {
            packer.add(row == QUARANTINED ? Rows.bad(spec, row) : Rows.good(spec, row));
        }
        return packer;
    }

    private Stored() {}
}
