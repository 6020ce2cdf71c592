package io.millrace.batch;

import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** The description of a {@link MicroBatchSerializer} in a checkpoint: its columns. */
public final class MicroBatchSerializerSnapshot implements TypeSerializerSnapshot<MicroBatch> {
    /**
     * The current version. Version 1 had only dense columns and did not store the meaning of their values. Version 2
     * did not store the element type of the samples.
     */
    private static final int VERSION = 3;

    private BatchSpec spec;

    /** Creates an empty snapshot for Flink, which fills it by {@link #readSnapshot}. */
    public MicroBatchSerializerSnapshot() {
        this(new BatchSpec(List.of()));
    }

    MicroBatchSerializerSnapshot(BatchSpec spec) {
        this.spec = spec;
    }

    @Override
    public int getCurrentVersion() {
        return VERSION;
    }

    @Override
    public void writeSnapshot(DataOutputView out) throws IOException {
        out.writeInt(spec.columns().size());
        for (BatchSpec.Column column : spec.columns()) {
            out.writeUTF(column.name());
            out.writeUTF(column.dtype().name());
            out.writeInt(column.shape().size());
            for (int extent : column.shape()) {
                out.writeInt(extent);
            }
            out.writeUTF(column.kind().name());
            out.writeUTF(column.form().name());
            out.writeUTF(column.from().name());
        }
    }

    @Override
    public void readSnapshot(int version, DataInputView in, ClassLoader loader) throws IOException {
        if (version < 1 || version > VERSION) {
            throw new IOException("a checkpoint describes micro-batches in version " + version
                    + ", but this Millrace reads versions 1 to " + VERSION);
        }
        List<BatchSpec.Column> columns = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            String name = in.readUTF();
            DType dtype = DType.valueOf(in.readUTF());
            List<Integer> shape = new ArrayList<>();
            for (int extents = in.readInt(); extents > 0; extents--) {
                shape.add(in.readInt());
            }
            if (version == 1) {
                columns.add(new BatchSpec.Column(name, dtype, shape));
                continue;
            }
            FieldKind kind = FieldKind.valueOf(in.readUTF());
            Form form = Form.valueOf(in.readUTF());
            DType from = version == 2 ? dtype : DType.valueOf(in.readUTF());
            columns.add(new BatchSpec.Column(name, dtype, shape, kind, form, from));
        }
        spec = new BatchSpec(columns);
    }

    @Override
    public TypeSerializer<MicroBatch> restoreSerializer() {
        return new MicroBatchSerializer(spec);
    }

    /** Accepts only the same columns, because micro-batches in flight cannot be reshaped. */
    @Override
    public TypeSerializerSchemaCompatibility<MicroBatch> resolveSchemaCompatibility(
            TypeSerializerSnapshot<MicroBatch> old) {
        return old instanceof MicroBatchSerializerSnapshot snapshot && snapshot.spec.equals(spec)
                ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                : TypeSerializerSchemaCompatibility.incompatible();
    }
}
