package io.millrace.dataset.shard;

import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads the small things at ascending places of a file without a request for each. For one thread. */
public final class ScanWindow {
    /** What a header and a small content take: the system copies this much in about the time of a call. */
    private static final int LOCAL_BYTES = 1 << 13;

    /** A request elsewhere takes milliseconds, in which this much could come. */
    private static final int REMOTE_BYTES = 1 << 22;

    private final RangedFile file;
    private final byte[] window;
    private long start;
    private int length;

    private ScanWindow(RangedFile file, int bytes) {
        this.file = file;
        this.window = new byte[bytes];
    }

    /** A window on a file of this machine. */
    static ScanWindow local(RangedFile file) {
        return new ScanWindow(file, LOCAL_BYTES);
    }

    /** A window on a file elsewhere. */
    static ScanWindow remote(RangedFile file) {
        return new ScanWindow(file, REMOTE_BYTES);
    }

    /** The size of the file. */
    public long size() {
        return file.size();
    }

    /** What a person calls the file. */
    public String name() {
        return file.name();
    }

    /**
     * The bytes there, little-endian, valid until the next call.
     *
     * @param count up to 4096
     * @throws LostStructureException when the file ends before
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
     * The bytes there in an array of their own, for what may be longer than the window.
     *
     * @throws LostStructureException when the file ends before
     */
    public byte[] copy(long position, int count, String what) throws IOException {
        requireWithin(position, count, what);
        return file.read(position, count);
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
