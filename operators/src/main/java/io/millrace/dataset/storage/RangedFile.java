package io.millrace.dataset.storage;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;

/** One file, read at any place by any number of threads at once. Closing it while reads go on makes those fail. */
public interface RangedFile extends Closeable {
    /** What a person calls it. */
    String name();

    /** In bytes, as it was when the file was opened. */
    long size();

    /**
     * Reads {@code count} bytes from {@code position} on into {@code target} from index {@code from}.
     *
     * @throws EOFException when the file ends before; its message says where
     */
    void read(long position, byte[] target, int from, int count) throws IOException;

    /** Reads {@code count} bytes into an array that the caller owns. */
    default byte[] read(long position, int count) throws IOException {
        if (position < 0 || count < 0 || position > size() - count) {
            throw pastEnd(position, count);
        }
        byte[] bytes = new byte[count];
        read(position, bytes, 0, count);
        return bytes;
    }

    /** A view for libraries that read channels: read-only, for one thread; closing it leaves the file open. */
    default SeekableByteChannel channel() {
        return new RangedFileChannel(this);
    }

    /** The exception for a read beyond the end. */
    default EOFException pastEnd(long position, long count) {
        return new EOFException(name() + ": expected " + count + " bytes at offset " + position
                + ", found the end of the file at " + size());
    }
}
