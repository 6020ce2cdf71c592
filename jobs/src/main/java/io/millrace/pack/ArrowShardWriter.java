package io.millrace.pack;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.jspecify.annotations.Nullable;

/**
 * A writer of an Arrow IPC file, whose record batches are small, because readers fetch single rows. The first sample
 * determines the columns. Owns Arrow memory until it is closed.
 *
 * <p>Tested by {@code PackCommandITCase}.
 */
final class ArrowShardWriter implements ShardWriter {
    /** The limits of a record batch, in rows and bytes. To read one row, a reader fetches its whole record batch. */
    private static final int BATCH_ROWS = 64;

    private static final long BATCH_BYTES = 4 << 20;

    /** The bytes of a row apart from its fields: offsets, validity, and its share of the record batch's header. */
    private static final int ROW_OVERHEAD_BYTES = 128;

    private final BufferAllocator allocator = new RootAllocator();
    private final OutputStream out;
    private final Optional<List<String>> classes;
    private final Map<String, String> forms = new HashMap<>();
    private @Nullable VectorSchemaRoot root;
    private @Nullable ArrowFileWriter writer;
    private int rows;
    private long bytes;

    ArrowShardWriter(OutputStream out, Optional<List<String>> classes) {
        this.out = out;
        this.classes = classes;
    }

    /** Returns the bytes that a sample will occupy, exactly or slightly more. */
    static long bytes(Sample sample) {
        long total = (long) ROW_OVERHEAD_BYTES + sample.key().length();
        for (String name : sample.fieldNames()) {
            total += (long) sample.field(name).data().length + Long.BYTES;
        }
        return total;
    }

    @Override
    public void add(Sample sample) throws IOException {
        VectorSchemaRoot batch = root(sample);
        for (String name : sample.fieldNames()) {
            set(sample, name, batch.getVector(name));
        }
        if (classes.isPresent()) {
            ((BigIntVector) batch.getVector(ArrowColumns.LABEL)).setSafe(rows, sample.label());
        }
        rows++;
        bytes += bytes(sample);
        if (rows == BATCH_ROWS || bytes >= BATCH_BYTES) {
            writeBatch(batch);
        }
    }

    private VectorSchemaRoot root(Sample sample) throws IOException {
        if (root == null) {
            root = VectorSchemaRoot.create(ArrowColumns.schema(sample, classes), allocator);
            writer = new ArrowFileWriter(root, null, Channels.newChannel(out));
            writer.start();
            for (String name : sample.fieldNames()) {
                forms.put(name, form(sample.field(name)));
            }
        }
        return root;
    }

    /** Returns the properties of a field that must be equal in all rows of a column. */
    private static String form(Field field) {
        boolean free = field.dtype() == DType.ENCODED || field.kind().varies();
        return field.dtype() + (free ? "" : Arrays.toString(field.shape()));
    }

    private void set(Sample sample, String name, @Nullable FieldVector column) throws PackException {
        Field field = sample.field(name);
        if (column == null || !form(field).equals(forms.get(name))) {
            throw new PackException("sample " + sample.key() + ": field '" + name + "' is " + field
                    + ", expected " + forms.getOrDefault(name, "no such field") + " as in the shard's first sample: the"
                    + " columns of an Arrow shard have one type");
        }
        byte[] data = field.data();
        if (column instanceof StructVector struct) {
            struct.setIndexDefined(rows);
            struct.getChild(ArrowColumns.BYTES, VarBinaryVector.class).setSafe(rows, data);
            struct.getChild(ArrowColumns.PATH, VarCharVector.class)
                    .setSafe(rows, sample.key().getBytes(StandardCharsets.UTF_8));
        } else if (column instanceof VarCharVector text) {
            text.setSafe(rows, data);
        } else if (column instanceof ListVector list) {
            int from = list.startNewValue(rows);
            copy(data, field.dtype(), list.getDataVector(), from);
            list.endValue(rows, data.length / field.dtype().bytes());
        } else if (column instanceof FixedSizeListVector list) {
            list.setNotNull(rows);
            copy(data, field.dtype(), list.getDataVector(), rows * list.getListSize());
        } else {
            throw new IllegalStateException("no way to fill a " + column.getClass());
        }
    }

    private static void copy(byte[] data, DType dtype, FieldVector elements, int from) {
        BaseFixedWidthVector vector = (BaseFixedWidthVector) elements;
        int count = data.length / dtype.bytes();
        while (vector.getValueCapacity() < from + count) {
            vector.reAlloc();
        }
        vector.getDataBuffer().setBytes((long) from * dtype.bytes(), data);
        for (int i = from; i < from + count; i++) {
            vector.setIndexDefined(i);
        }
    }

    private void writeBatch(VectorSchemaRoot batch) throws IOException {
        batch.setRowCount(rows);
        if (writer != null) {
            writer.writeBatch();
        }
        batch.clear();
        rows = 0;
        bytes = 0;
    }

    @Override
    public void finish() throws IOException {
        if (root != null && rows > 0) {
            writeBatch(root);
        }
        if (writer != null) {
            writer.end();
        }
    }

    @Override
    public void close() throws IOException {
        if (root != null) {
            root.close();
        }
        allocator.close();
        out.close();
    }
}
