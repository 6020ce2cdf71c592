package io.millrace.generate.digits;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.millrace.file.WholeFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * An IDX file of bytes that is being written, by any threads and with records in any order.
 *
 * <p>The header is big-endian: 0, 0, type 8 (unsigned byte), number of dimensions, then each dimension as 32 bits.
 */
final class IdxFileWriter implements AutoCloseable {
    static final int IMAGE_HEADER = 16;
    static final int LABEL_HEADER = 8;

    private static final int UNSIGNED_BYTES = 0x800;

    private final Path file;
    private final FileChannel channel;
    private final int headerBytes;
    private final int recordBytes;

    private IdxFileWriter(Path file, ByteBuffer header, int recordBytes) throws IOException {
        this.file = file;
        this.channel = FileChannel.open(WholeFiles.partial(file), CREATE, TRUNCATE_EXISTING, WRITE);
        this.headerBytes = header.capacity();
        this.recordBytes = recordBytes;
        put(header.flip(), 0);
    }

    /** Creates a file of square images. */
    static IdxFileWriter images(Path file, int count, int side) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(IMAGE_HEADER);
        header.putInt(UNSIGNED_BYTES + 3).putInt(count).putInt(side).putInt(side);
        return new IdxFileWriter(file, header, side * side);
    }

    /** Creates a file of labels. */
    static IdxFileWriter labels(Path file, int count) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(LABEL_HEADER);
        header.putInt(UNSIGNED_BYTES + 1).putInt(count);
        return new IdxFileWriter(file, header, 1);
    }

    /** Writes complete records, beginning with number {@code first}. */
    void write(long first, byte[] records) throws IOException {
        put(ByteBuffer.wrap(records), headerBytes + first * recordBytes);
    }

    /** Renames the finished file to its final name. */
    void publish() throws IOException {
        channel.close();
        WholeFiles.publish(file);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void put(ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }
}
