package io.millrace.sink.files;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The envelope of a piece of state: its kind, its version and a checksum. <pre>
 * u8 kind | u8 version | i32 CRC-32C of the content | content     (big-endian)
 * </pre>
 */
public final class StateBytes {
    /** The kinds of pieces. A piece stores the letter of its kind. */
    public enum Kind {
        /** The trainer's progress, see {@link Progress}. */
        PROGRESS('P', 1, "the trainer's progress"),
        /** Bad samples, see {@link QuarantineLog}. */
        QUARANTINE('Q', 1, "the list of bad samples"),
        /** A micro-batch of waiting rows, see {@link io.millrace.batch.RowStore}. */
        ROWS('R', 1, "rows that wait for their batch");

        private final byte letter;
        private final int version;
        private final String what;

        Kind(char letter, int version, String what) {
            this.letter = (byte) letter;
            this.version = version;
            this.what = what;
        }
    }

    private static final int HEAD_BYTES = 1 + 1 + Integer.BYTES;

    private StateBytes() {}

    /** Returns the content in an envelope of the kind's current version. */
    public static byte[] wrap(Kind kind, byte[] content) {
        return ByteBuffer.allocate(HEAD_BYTES + content.length)
                .put(kind.letter)
                .put((byte) kind.version)
                .putInt(checksum(content, 0))
                .put(content)
                .array();
    }

    /**
     * Returns the content of an envelope.
     *
     * @throws StateRefusedException when the envelope has another kind or an unknown version, or is damaged
     */
    public static byte[] unwrap(Kind kind, byte[] bytes) throws StateRefusedException {
        if (bytes.length < HEAD_BYTES) {
            throw damaged(kind, "it has " + bytes.length + " bytes, expected at least " + HEAD_BYTES);
        }
        ByteBuffer head = ByteBuffer.wrap(bytes);
        int letter = head.get();
        int version = Byte.toUnsignedInt(head.get());
        int expected = head.getInt();
        if (letter != kind.letter) {
            throw damaged(kind, "it begins with " + letter + ", expected " + kind.letter);
        }
        if (version < 1 || version > kind.version) {
            throw new StateRefusedException("the checkpoint has " + kind.what + " in version " + version
                    + ", this Millrace reads versions 1 to " + kind.version
                    + ": resume with the version of Millrace that wrote it, or start a new run");
        }
        int found = checksum(bytes, HEAD_BYTES);
        if (found != expected) {
            throw damaged(
                    kind,
                    "the checksum is " + Integer.toHexString(found) + ", expected " + Integer.toHexString(expected));
        }
        return Arrays.copyOfRange(bytes, HEAD_BYTES, bytes.length);
    }

    /** Returns an exception for damaged content. */
    public static StateRefusedException damaged(Kind kind, String why) {
        return new StateRefusedException("the checkpoint is damaged, in " + kind.what + ": " + why);
    }

    private static int checksum(byte[] bytes, int from) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, from, bytes.length - from);
        return (int) checksum.getValue();
    }
}
