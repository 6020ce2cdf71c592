package io.millrace.batch;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * Writes micro-batches to Flink's network and reads them into {@link MicroBatchMemory}.
 *
 * <p>{@link #copy(MicroBatch)} returns the same object: megabytes are not copied in silence between chained operators.
 * A chained receiver may therefore read a micro-batch only while it is being handed over; afterwards its packer takes the
 * memory back and reading throws. Used by one thread at a time, as Flink does: {@link #duplicate()} for another.
 */
public class MicroBatchSerializer extends TypeSerializer<MicroBatch> {
    private static final long serialVersionUID = 1;

    private final BatchSpec spec;
    private transient @Nullable MicroBatchWire wire;

    public MicroBatchSerializer(BatchSpec spec) {
        this.spec = spec;
    }

    @Override
    public void serialize(MicroBatch batch, DataOutputView target) throws IOException {
        wire().write(batch, target);
    }

    /** Reads a micro-batch that the caller closes; a failure gives back the memory taken until then. */
    @Override
    public MicroBatch deserialize(DataInputView source) throws IOException {
        return wire().read(source, MicroBatchMemory.arriving());
    }

    @Override
    public MicroBatch deserialize(MicroBatch reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        wire().copy(source, target);
    }

    @Override
    public MicroBatch copy(MicroBatch from) {
        return from;
    }

    @Override
    public MicroBatch copy(MicroBatch from, MicroBatch reuse) {
        return from;
    }

    /** There is no empty micro-batch to make: Flink asks for one only to reuse it, which its network input never does. */
    @Override
    public MicroBatch createInstance() {
        throw new UnsupportedOperationException("micro-batches are made by packers and read from the network only");
    }

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public TypeSerializer<MicroBatch> duplicate() {
        return new MicroBatchSerializer(spec);
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public TypeSerializerSnapshot<MicroBatch> snapshotConfiguration() {
        return new MicroBatchSerializerSnapshot(spec);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MicroBatchSerializer serializer && serializer.spec.equals(spec);
    }

    @Override
    public int hashCode() {
        return spec.hashCode();
    }

    private MicroBatchWire wire() {
        MicroBatchWire made = wire;
        if (made == null) {
            made = new MicroBatchWire(spec);
            wire = made;
        }
        return made;
    }
}
