package io.millrace.batch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * A micro-batch whose serialized bytes, as Flink's network carries them, are stored beside the tests. The main method
 * writes the file again.
 */
final class StoredMicroBatch {
    static final BatchSpec SPEC = Rows.IMAGE_AND_MASK;
    static final int ROWS = 5;
    static final int QUARANTINED = 2;
    static final String VERSION_1 = "micro-batch-v1.bin";

    /** Writes the file into a directory. */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        Files.write(directory.resolve(VERSION_1), serialized());
    }

    static byte[] bytes(String file) throws IOException {
        try (InputStream in = Objects.requireNonNull(StoredMicroBatch.class.getResourceAsStream(file), file)) {
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

    private static Packer filled(RootAllocator allocator, BatchSpec spec) {
        Packer packer = new Packer(allocator, spec, PackLimits.ofRows(64));
        for (int row = 0; row < ROWS; row++) {
            packer.add(row == QUARANTINED ? Rows.bad(spec, row) : Rows.good(spec, row));
        }
        return packer;
    }

    private StoredMicroBatch() {}
}
