package io.millrace.sink;

import io.millrace.sink.files.StateBytes;
import io.millrace.sink.files.StateRefusedException;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The serializer of the pieces of state that {@link StateBytes} makes. It writes the length and then the bytes. Pieces
 * never change, so they are not copied. Flink's own serializer of arrays would copy them while the trainer waits.
 */
public final class PieceSerializer extends TypeSerializerSingleton<byte[]> {
    public static final PieceSerializer INSTANCE = new PieceSerializer();

    private static final long serialVersionUID = 1;

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public byte[] createInstance() {
        return new byte[0];
    }

    @Override
    public byte[] copy(byte[] from) {
        return from;
    }

    @Override
    public byte[] copy(byte[] from, byte[] reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(byte[] piece, DataOutputView target) throws IOException {
        target.writeInt(piece.length);
        target.write(piece);
    }

    @Override
    public byte[] deserialize(DataInputView source) throws IOException {
        int length = source.readInt();
        if (length < 0) {
            throw new StateRefusedException(
                    "the checkpoint's state of the trainer is damaged: one of its pieces has " + length + " bytes");
        }
        byte[] piece = new byte[length];
        source.readFully(piece);
        return piece;
    }

    @Override
    public byte[] deserialize(byte[] reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<byte[]> snapshotConfiguration() {
        return new Snapshot();
    }

    /**
     * The serializer's entry in a checkpoint, which is only its class. The content of the pieces has a version of its
     * own.
     */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<byte[]> {
        /** Creates a snapshot; Flink calls this. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
