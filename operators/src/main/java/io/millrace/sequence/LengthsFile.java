package io.millrace.sequence;

import io.millrace.file.WholeFiles;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * A file with the lengths of the documents of a dataset, 4 bytes for each, mapped into memory. {@link LengthsWriter} makes it. The
 * processes of a machine share its pages, and it takes no heap. Any thread may use it. It stays mapped until the object is collected.
 *
 * <p>A number of the file is 0 for a document that has not been counted, 1 for a bad one, and otherwise the length plus 2, unsigned.
 */
public final class LengthsFile implements DocumentLengths {
    /** The number of a document that has not been counted. */
    static final int UNKNOWN = 0;

    /** The difference of a length and its number; {@link DocumentLengths#BAD} has the number 1. */
    static final int SHIFT = 2;

    /** A mapping has 2^28 numbers, because a buffer has less than 2^31 bytes. */
    private static final int PART_BITS = 28;

    private static final int PART_MASK = (1 << PART_BITS) - 1;

    private final IntBuffer[] parts;
    private final long size;

    private LengthsFile(IntBuffer[] parts, long size) {
        this.parts = parts;
        this.size = size;
    }

    /**
     * Opens a file and checks it, which takes one pass over its bytes.
     *
     * @param key what the lengths depend on: the dataset, the tokenizer and the options that decide the ids
     * @param documents the number of documents of the dataset
     * @throws java.nio.file.NoSuchFileException when there is no such file
     * @throws UnusableCountsException when the file is damaged, has another key or another number of documents
     */
    public static LengthsFile open(Path file, byte[] key, long documents) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            requireWhole(channel, file, key, documents);
            return map(channel, documents);
        }
    }

    /**
     * Opens a file that is still being counted, or the finished one if there is one. Lengths appear in it as they are counted.
     *
     * @throws java.nio.file.NoSuchFileException when there is neither
     * @throws IOException as {@link #open} does
     */
    public static LengthsFile openGrowing(Path file, byte[] key, long documents) throws IOException {
        Path partial = WholeFiles.partial(file);
        if (!Files.exists(file)) {
            try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.READ)) {
                requireGrowing(channel, partial, key, documents);
                return map(channel, documents);
            } catch (NoSuchFileException e) { // it has been finished in between, or there is none
                return open(file, key, documents);
            }
        }
        return open(file, key, documents);
    }

    /**
     * Checks a finished file.
     *
     * @throws UnusableCountsException when it is damaged, or of another count
     */
    static void requireWhole(FileChannel channel, Path file, byte[] key, long documents) throws IOException {
        head(channel, file, IntsHead.Kind.LENGTHS, key, documents).requireContent(channel, file);
    }

    /**
     * Checks the hidden file of a count. Before its writer moves it into place, it has the head of a finished file.
     *
     * @throws UnusableCountsException when the file is of no use to the count
     */
    static void requireGrowing(FileChannel channel, Path partial, byte[] key, long documents) throws IOException {
        try {
            var unused = head(channel, partial, IntsHead.Kind.PARTIAL_LENGTHS, key, documents);
        } catch (UnusableCountsException e) {
            try {
                requireWhole(channel, partial, key, documents);
            } catch (UnusableCountsException neither) {
                e.addSuppressed(neither);
                throw e;
            }
        }
    }

    private static IntsHead head(FileChannel channel, Path file, IntsHead.Kind kind, byte[] key, long documents)
            throws IOException {
        IntsHead head = IntsHead.read(channel, file, kind, IntsHead.key(key));
        if (head.count() != documents) {
            throw new UnusableCountsException(
                    file + " has the lengths of " + head.count() + " documents: expected " + documents);
        }
        return head;
    }

    private static LengthsFile map(FileChannel channel, long documents) throws IOException {
        IntBuffer[] parts = new IntBuffer[Math.toIntExact((documents + PART_MASK) >>> PART_BITS)];
        for (int part = 0; part < parts.length; part++) {
            long first = (long) part << PART_BITS;
            long count = Math.min(documents - first, 1L << PART_BITS);
            parts[part] = channel.map(MapMode.READ_ONLY, IntsHead.BYTES + first * Integer.BYTES, count * Integer.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asIntBuffer();
        }
        return new LengthsFile(parts, documents);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public int length(long document) {
        Objects.checkIndex(document, size);
        return parts[(int) (document >>> PART_BITS)].get((int) document & PART_MASK) - SHIFT;
    }
}
