package io.millrace.sink;

import io.millrace.train.state.StateChunk;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The serializer of a model's state. Chunks stay in native memory, so Flink copies no chunk while the trainer waits.
 */
public final class StateChunkSerializer extends TypeSerializerSingleton<StateChunk> {
    public static final StateChunkSerializer INSTANCE = new StateChunkSerializer();

    private static final long serialVersionUID = 1;

    @Override
    public boolean isImmutableType() {
        return true;
    }

    /**
     * Always throws, because there is no empty chunk. Flink creates instances only to reuse them, and does not reuse
     * elements of state.
     */
    @Override
    public StateChunk createInstance() {
        throw new UnsupportedOperationException("chunks are made by the trainer and read from checkpoints only");
    }

    @Override
    public StateChunk copy(StateChunk from) {
        return from;
    }

    @Override
    public StateChunk copy(StateChunk from, StateChunk reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(StateChunk chunk, DataOutputView target) throws IOException {
        chunk.write(target);
    }

    /** Reads a chunk, which the caller closes. */
    @Override
    public StateChunk deserialize(DataInputView source) throws IOException {
        return StateChunk.read(source);
    }

    @Override
    public StateChunk deserialize(StateChunk reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        try (StateChunk chunk = deserialize(source)) {
            serialize(chunk, target);
        }
    }

    @Override
    public TypeSerializerSnapshot<StateChunk> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer's entry in a checkpoint, which is only its class. Each chunk has a version of its own. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<StateChunk> {
        /** Creates a snapshot; Flink calls this. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
