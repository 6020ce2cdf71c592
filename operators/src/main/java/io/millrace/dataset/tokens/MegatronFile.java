package io.millrace.dataset.tokens;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.Segments;
import io.millrace.file.HeapLimit;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;

/**
 * An index of Megatron-LM, a file {@code .idx}: {@code "MMIDIDX\0\0", u64 version 1, u8 type of the ids, u64 number of sequences S, u64
 * length of the list of documents D, i32 lengths[S], i64 offsets[S] in the file .bin, i64 documents[D]}, little-endian. Document d is the
 * sequences from {@code documents[d]} to {@code documents[d + 1] - 1}. An index on this machine is mapped, so that it needs no heap. Safe
 * for several threads.
 *
 * <p>Tested by {@code MegatronFormatTest}.
 */
final class MegatronFile {
    private static final byte[] MAGIC = "MMIDIDX\0\0".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION_AT = MAGIC.length;
    private static final int TYPE_AT = VERSION_AT + Long.BYTES;
    private static final int SEQUENCES_AT = TYPE_AT + 1;
    private static final int DOCUMENTS_AT = SEQUENCES_AT + Long.BYTES;
    private static final int HEADER_BYTES = DOCUMENTS_AT + Long.BYTES;
    private static final long MOST = 1L << 40;

    private final String name;
    private final TokenType type;
    private final long sequences;
    private final long documents;
    private final Segments lengths;
    private final Segments offsets;
    private final Segments bounds;

    /** What the header states. */
    private record Header(TokenType type, long sequences, long bounds) {}

    private MegatronFile(String name, Header header, Segments lengths, Segments offsets, Segments bounds) {
        this.name = name;
        this.type = header.type();
        this.sequences = header.sequences();
        this.documents = header.bounds() - 1;
        this.lengths = lengths;
        this.offsets = offsets;
        this.bounds = bounds;
    }

    /**
     * Opens an index.
     *
     * @throws DatasetException when the file is no such index; the message is a sentence with the offset
     */
    static MegatronFile open(DataFile file) throws IOException {
        long size = file.state().size();
        Optional<Path> local = file.local();
        if (local.isPresent()) {
            try (FileChannel channel = FileChannel.open(local.get(), StandardOpenOption.READ)) {
                ByteBuffer head = ByteBuffer.allocate((int) Math.min(HEADER_BYTES, size));
                while (head.hasRemaining() && channel.read(head, head.position()) >= 0) {
                    // a read may return fewer bytes than the buffer holds
                }
                Header header = header(file.name(), Arrays.copyOf(head.array(), head.position()), size);
                long at = HEADER_BYTES;
                Segments lengths = Segments.map(channel, at, header.sequences() * Integer.BYTES);
                at += header.sequences() * Integer.BYTES;
                Segments offsets = Segments.map(channel, at, header.sequences() * Long.BYTES);
                at += header.sequences() * Long.BYTES;
                Segments bounds = Segments.map(channel, at, header.bounds() * Long.BYTES);
                return new MegatronFile(file.name(), header, lengths, offsets, bounds);
            }
        }
        try (InputStream stream = file.storage().open(file.path());
                DataInputStream in = new DataInputStream(stream)) {
            Header header = header(file.name(), in.readNBytes(HEADER_BYTES), size);
            HeapLimit.require("the index " + file.name(), size);
            Segments lengths = segments(file, in, header.sequences() * Integer.BYTES);
            Segments offsets = segments(file, in, header.sequences() * Long.BYTES);
            return new MegatronFile(
                    file.name(), header, lengths, offsets, segments(file, in, header.bounds() * Long.BYTES));
        }
    }

    private static Segments segments(DataFile file, InputStream in, long bytes) throws IOException {
        Segments.ReadResult read = Segments.read(in, bytes);
        if (read.bytes() != bytes) {
            throw new IOException(file.name() + " was cut short while it was read");
        }
        return read.segments();
    }

    private static Header header(String name, byte[] head, long size) throws DatasetException {
        if (!Arrays.equals(Arrays.copyOf(head, Math.min(head.length, MAGIC.length)), MAGIC)) {
            throw new DatasetException(
                    name + ": at offset 0 expected an index of Megatron-LM, which begins with MMIDIDX"
                            + (begins(head, "TNTIDX")
                                    ? ", found TNTIDX, an index of fairseq's older kind: write the data again with"
                                            + " Megatron's preprocess_data.py"
                                    : ", found other bytes"));
        }
        if (head.length < HEADER_BYTES) {
            throw new DatasetException(
                    name + " is cut off: expected a header of " + HEADER_BYTES + " bytes, found " + head.length);
        }
        ByteBuffer numbers = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        long version = numbers.getLong(VERSION_AT);
        if (version != 1) {
            throw new DatasetException(name + ": at offset " + VERSION_AT + " expected version 1, found "
                    + Long.toUnsignedString(version));
        }
        TokenType type = type(name, numbers.get(TYPE_AT));
        long sequences = count(name, "sequences", numbers.getLong(SEQUENCES_AT), SEQUENCES_AT);
        long bounds = count(name, "bounds of documents", numbers.getLong(DOCUMENTS_AT), DOCUMENTS_AT);
        long expected = HEADER_BYTES + sequences * (Integer.BYTES + Long.BYTES) + bounds * Long.BYTES;
        if (size == expected + sequences && sequences > 0) {
            throw new DatasetException(
                    name + " has a mode for each sequence, as Megatron's multimodal data has: expected"
                            + " sequences of ids of tokens only");
        }
        if (size != expected) {
            throw new DatasetException(name + " is " + (size < expected ? "cut off" : "too long")
                    + ": its header states "
                    + sequences + " sequences and " + bounds + " bounds of documents, so expected the end at offset "
                    + expected + ", found it at " + size);
        }
        if (sequences == 0) {
            throw new DatasetException(name + ": expected at least 1 sequence, found 0");
        }
        return new Header(type, sequences, bounds);
    }

    private static boolean begins(byte[] head, String magic) {
        return new String(head, StandardCharsets.ISO_8859_1).startsWith(magic);
    }

    private static long count(String name, String what, long found, int offset) throws DatasetException {
        if (found < 0 || found > MOST) {
            throw new DatasetException(name + ": at offset " + offset + " expected 0 to 2^40 " + what + ", found "
                    + Long.toUnsignedString(found));
        }
        return found;
    }

    private static TokenType type(String name, byte code) throws DatasetException {
        return switch (code) {
            case 1 -> TokenType.UINT8;
            case 2 -> TokenType.INT8;
            case 3 -> TokenType.INT16;
            case 4 -> TokenType.INT32;
            case 5 -> TokenType.INT64;
            case 8 -> TokenType.UINT16;
            case 6, 7 ->
                throw new DatasetException(name + ": at offset " + TYPE_AT
                        + " expected whole numbers, which ids of tokens are, found type " + code
                        + ", which stands for floats");
            default ->
                throw new DatasetException(name + ": at offset " + TYPE_AT
                        + " expected a type of numbers, 1 to 5 or 8, found " + (code & 0xFF));
        };
    }

    String name() {
        return name;
    }

    TokenType type() {
        return type;
    }

    /** Returns whether the index has documents. Otherwise its writer has ended none, and each sequence is read as a document. */
    boolean hasDocuments() {
        return documents > 0;
    }

    /** Returns the number of documents, or of sequences where the index has none. */
    long documents() {
        return hasDocuments() ? documents : sequences;
    }

    /** Returns the number of the first sequence of a document, as the index states it; that of document {@code documents()} is the end. */
    long first(long document) {
        return hasDocuments() ? number(bounds, document) : document;
    }

    long sequences() {
        return sequences;
    }

    /** Returns the number of ids of a sequence, as the index states it. */
    int length(long sequence) {
        long at = sequence * Integer.BYTES;
        return lengths.segment(at).getInt(lengths.inSegment(at));
    }

    /** Returns the offset in bytes of the first id of a sequence in the file {@code .bin}, as the index states it. */
    long offset(long sequence) {
        return number(offsets, sequence);
    }

    /** Returns the offset in the index of the bounds of a document. */
    long boundsAt(long document) {
        return HEADER_BYTES + sequences * (Integer.BYTES + Long.BYTES) + document * Long.BYTES;
    }

    /** Returns the offset in the index of the length of a sequence. */
    long lengthAt(long sequence) {
        return HEADER_BYTES + sequence * Integer.BYTES;
    }

    private static long number(Segments numbers, long index) {
        long at = index * Long.BYTES;
        return numbers.segment(at).getLong(numbers.inSegment(at));
    }
}
