package io.millrace.dataset.shard;

import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A window on a file for reading small pieces at ascending positions without a request for each piece. Belongs to one
 * thread.
 */
public final class ScanWindow {
    /**
     * The size of the window for a local file. The system copies this number of bytes in about the time of one call.
     */
    private static final int LOCAL_BYTES = 1 << 13;

    /**
     * The size of the window for a remote file. A request takes milliseconds, in which this number of bytes can be
     * transferred.
     */
    private static final int REMOTE_BYTES = 1 << 22;

    private final RangedFile file;
    private final byte[] window;
    private long start;
    private int length;

    private ScanWindow(RangedFile file, int bytes) {
        this.file = file;
        this.window = new byte[bytes];
    }

    /** Returns a window on a file on this machine. */
    static ScanWindow local(RangedFile file) {
        return new ScanWindow(file, LOCAL_BYTES);
    }

    /** Returns a window on a remote file. */
    static ScanWindow remote(RangedFile file) {
        return new ScanWindow(file, REMOTE_BYTES);
    }

    /** Returns the size of the file in bytes. */
    public long size() {
        return file.size();
    }

    /** Returns the file's name for people. */
    public String name() {
        return file.name();
    }

    /**
     * Returns the bytes at a position in a little-endian buffer, which is valid until the next call.
     *
     * @param position the offset in the file, 0 or more
     * @param count the number of bytes, up to 4096
     * @param what the name of the bytes for messages
     * @throws LostStructureException when the file ends before the last requested byte
     */
    public ByteBuffer bytes(long position, int count, String what) throws IOException {
        requireWithin(position, count, what);
        if (position < start || position + count > start + length) {
            length = (int) Math.min(window.length, file.size() - position);
            start = position;
            file.read(position, window, 0, length);
        }
        return ByteBuffer.wrap(window, (int) (position - start), count).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Returns the bytes at a position in a new array, which may be longer than the window.
     *
     * @throws LostStructureException when the file ends before the last requested byte
     */
    public byte[] copy(long position, int count, String what) throws IOException {
        requireWithin(position, count, what);
        return file.read(position, count);
    }

    /**
     * Reads bytes at a position to the beginning of an array. Unlike the other methods, any number of threads may call this one at once.
     *
     * @throws LostStructureException when the file ends before the last requested byte
     */
    void read(long position, byte[] target, int count, String what) throws IOException {
        requireWithin(position, count, what);
        file.read(position, target, 0, count);
    }

    private void requireWithin(long position, int count, String what) throws LostStructureException {
        if (count > file.size() - position) {
            throw new LostStructureException(
                    position,
                    "expected " + what + " of " + count + " bytes, found the end of the file after "
                            + (file.size() - position));
        }
    }
}
