package io.millrace.batch;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * A Flink serializer that writes micro-batches to the network and reads them into {@link MicroBatchMemory}.
 *
 * <p>{@link #copy(MicroBatch)} returns the same object, so that megabytes are not silently copied between chained
 * operators. A chained receiver may therefore read a micro-batch only during the call that hands it over. Afterwards
 * the packer reuses the memory, and reading throws an exception. Used by one thread at a time: like all of Flink's
 * serializers, each thread uses its own {@link #duplicate()}.
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

    /** Reads a micro-batch, which the caller closes. When reading fails, the memory is freed. */
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

    /**
     * Throws, because there is no empty micro-batch. Flink requests an instance only to reuse it, which its network
     * input never does.
     */
    @Override
    public MicroBatch createInstance() {
        throw new UnsupportedOperationException(
                "only packers create micro-batches, and only the network input reads them");
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
