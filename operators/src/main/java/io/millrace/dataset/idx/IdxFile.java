package io.millrace.dataset.idx;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.shard.Compression;
import io.millrace.dataset.shard.GzipMembers;
import io.millrace.dataset.storage.Segments;
import io.millrace.dataset.storage.Storage;
import io.millrace.file.HeapLimit;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An IDX file that has been opened and checked: its header is valid, and the file has the length that the header
 * states. A plain file on this machine is mapped. A file on remote storage, or a gzipped file, is read to memory. A
 * gzipped file is recognized by its content, not by its name.
 *
 * <p>Tested by {@code IdxDatasetTest}.
 *
 * @param display the path for messages
 * @param name the last part of the path
 * @param header the element type and the extents that the file states
 * @param itemBytes the number of bytes in one item
 * @param elements the bytes after the header
 */
record IdxFile(String display, String name, IdxHeader header, int itemBytes, Segments elements) {
    private static final int MOST_EXCESS_BYTES = 1 << 20;

    static IdxFile open(Storage storage, String path) throws IOException {
        String display = storage.display(path);
        try (BufferedInputStream in = new BufferedInputStream(storage.open(path))) {
            if (Compression.isGzip(in)) {
                return inflate(display, in);
            }
            Optional<Path> local = storage.local(path);
            return local.isPresent() ? map(display, local.get()) : load(display, in);
        }
    }

    private static IdxFile inflate(String display, InputStream in) throws IOException {
        try (InputStream inflated = GzipMembers.of(in)) {
            return load(display, inflated);
        } catch (DatasetException e) {
            throw e;
        } catch (IOException e) {
            throw new DatasetException(display + " is not valid gzip data: " + e.getMessage(), e);
        }
    }

    private static IdxFile map(String display, Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer magic = ByteBuffer.allocate(IdxHeader.MAGIC_BYTES);
            fill(file, magic);
            ByteBuffer head = ByteBuffer.allocate(headerBytes(display, magic.array(), magic.position()));
            fill(file, head);
            IdxHeader header = header(display, head.array(), head.position());
            long elementBytes = elementBytes(display, header);
            long found = file.size() - header.bytes();
            requireLength(display, header, elementBytes, found);
            return new IdxFile(
                    display,
                    name(display),
                    header,
                    (int) header.itemBytes(),
                    Segments.map(file, header.bytes(), elementBytes));
        }
    }

    private static void fill(FileChannel file, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining() && file.read(buffer, buffer.position()) >= 0) {
            // A read may return fewer bytes than requested.
        }
    }

    private static IdxFile load(String display, InputStream in) throws IOException {
        byte[] magic = in.readNBytes(IdxHeader.MAGIC_BYTES);
        byte[] head = new byte[headerBytes(display, magic, magic.length)];
        System.arraycopy(magic, 0, head, 0, magic.length);
        int headBytes = magic.length + in.readNBytes(head, magic.length, head.length - magic.length);
        IdxHeader header = header(display, head, headBytes);
        long elementBytes = elementBytes(display, header);
        Segments.ReadResult read = Segments.read(in, Math.min(elementBytes, HeapLimit.bytes()));
        if (read.bytes() < elementBytes && read.bytes() == HeapLimit.bytes()) {
            throw new DatasetException(display + ": "
                    + HeapLimit.refusal("an unpacked file that is read to memory,", elementBytes)
                    + ", and a file of this machine that is not compressed needs no heap");
        }
        // Reading to the end lets gzip check its checksum. Zeros without end would keep it busy for hours.
        long more = in.readNBytes(MOST_EXCESS_BYTES).length;
        requireLength(display, header, elementBytes, read.bytes() + more);
        return new IdxFile(display, name(display), header, (int) header.itemBytes(), read.segments());
    }

    private static int headerBytes(String display, byte[] magic, int found) throws DatasetException {
        if (found < IdxHeader.MAGIC_BYTES) {
            throw new DatasetException(display + " is no IDX file: it ends at offset " + found + ", expected a"
                    + " magic number of " + IdxHeader.MAGIC_BYTES + " bytes");
        }
        return IdxHeader.length(display, magic);
    }

    private static IdxHeader header(String display, byte[] head, int found) throws DatasetException {
        if (found < head.length) {
            throw new DatasetException(
                    display + " ends at offset " + found + ", expected a header of " + head.length + " bytes");
        }
        return IdxHeader.parse(display, head);
    }

    private static long elementBytes(String display, IdxHeader header) throws DatasetException {
        long itemBytes = header.itemBytes();
        int items = header.extents().get(0);
        if (itemBytes > Integer.MAX_VALUE) {
            throw new DatasetException(display + ": expected items of less than 2 GiB, found " + header.describe());
        }
        return itemBytes * items;
    }

    private static void requireLength(String display, IdxHeader header, long expected, long found)
            throws DatasetException {
        if (expected != found) {
            throw new DatasetException(display + " is " + (found < expected ? "cut off" : "too long")
                    + ": its header states " + header.describe() + ", so expected the end at offset "
                    + (header.bytes() + expected) + ", found it at " + (header.bytes() + found)
                    + (found == expected + MOST_EXCESS_BYTES ? " or later" : ""));
        }
    }

    private static String name(String display) {
        return display.substring(display.lastIndexOf('/') + 1);
    }

    /** Returns the number of items in the file. */
    int items() {
        return header.extents().get(0);
    }

    /** Returns the length of the uncompressed file in bytes. */
    long bytes() {
        return header.bytes() + (long) itemBytes * items();
    }

    /** Returns the bytes of one item. */
    byte[] item(long index) {
        byte[] bytes = new byte[itemBytes];
        elements.read(index * bytes.length, bytes);
        return bytes;
    }

    /** Returns the bytes of one item where they are mapped; null when they are not, or lie in two segments. */
    @Nullable
    ByteBuffer storedItem(long index) {
        return elements.stored(index * itemBytes, itemBytes);
    }
}
