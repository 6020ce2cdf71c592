package io.millrace.sink.files;

import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import io.millrace.sink.files.StateBytes.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Bad samples as state, in pieces. A full piece does not change any more, so for each checkpoint only the latest piece
 * is made again, however many samples are bad. Version 1 of a piece, big-endian, has for each sample <pre>
 * u8 split (0 train, 1 evaluate) | i64 index | i64 offset | stage, dataset, file, reason, each i32 length and UTF-8
 * </pre>
 */
public final class QuarantinePieces {
    /** A receiver of bad samples that are read from a piece. */
    public interface Reader {
        void found(Split split, long index, BadSample failure);
    }

    private static final int PIECE_BYTES = 1 << 16;

    private final List<byte[]> whole = new ArrayList<>();
    private final DataOutputSerializer latest = new DataOutputSerializer(1024);

    public void add(Split split, long index, BadSample failure) throws IOException {
        latest.writeByte(split == Split.TRAIN ? 0 : 1);
        latest.writeLong(index);
        latest.writeLong(failure.offset());
        for (String text : new String[] {failure.stage(), failure.dataset(), failure.file(), failure.reason()}) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            latest.writeInt(utf8.length);
            latest.write(utf8);
        }
        if (latest.length() >= PIECE_BYTES) {
            whole.add(StateBytes.wrap(Kind.QUARANTINE, latest.getCopyOfBuffer()));
            latest.clear();
        }
    }

    /** Returns all samples so far. */
    public List<byte[]> pieces() {
        List<byte[]> pieces = new ArrayList<>(whole);
        if (latest.length() > 0) {
            pieces.add(StateBytes.wrap(Kind.QUARANTINE, latest.getCopyOfBuffer()));
        }
        return pieces;
    }

    /** Reads a piece, and passes each of its samples on. */
    public static void read(byte[] piece, Reader reader) throws StateRefusedException {
        DataInputDeserializer in = new DataInputDeserializer(StateBytes.unwrap(Kind.QUARANTINE, piece));
        try {
            while (in.available() > 0) {
                Split split = in.readUnsignedByte() == 0 ? Split.TRAIN : Split.EVALUATE;
                long index = in.readLong();
                long offset = in.readLong();
                String stage = text(in);
                String dataset = text(in);
                String file = text(in);
                reader.found(split, index, new BadSample(stage, dataset, file, offset, text(in)));
            }
        } catch (StateRefusedException e) {
            throw e;
        } catch (IOException e) {
            throw StateBytes.damaged(Kind.QUARANTINE, "it ends within a sample");
        }
    }

    private static String text(DataInputDeserializer in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw StateBytes.damaged(Kind.QUARANTINE, "one of its texts has " + length + " bytes");
        }
        byte[] utf8 = new byte[length];
        in.readFully(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
