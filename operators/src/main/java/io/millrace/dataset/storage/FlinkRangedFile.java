package io.millrace.dataset.storage;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.storage.Storage.FileState;
import io.millrace.lifecycle.Handles;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * A file in one of Flink's file systems. Each stream serves one request at a time, so there are as many streams as
 * pending requests. A read that is larger than a chunk is divided into several requests, which are pending at the same
 * time.
 *
 * <p>Tested by {@code FlinkStorageTest}.
 */
final class FlinkRangedFile implements RangedFile {
    /** The largest gap between two reads in bytes. Reading such a gap costs less than a new request. */
    private static final int MOST_GAP_BYTES = 1 << 16;

    /**
     * The largest distance in bytes over which a stream reads forward instead of jumping
     * (HadoopDataInputStream.MIN_SKIP_BYTES).
     */
    private static final int MOST_FORWARD_BYTES = 1 << 20;

    private final FileSystem files;
    private final Path path;
    private final String name;
    private final FileState state;
    private final Requests requests;
    private final int chunkBytes;
    private final int mostPending;
    private final ConcurrentLinkedQueue<FSDataInputStream> idle = new ConcurrentLinkedQueue<>();

    /**
     * Whether a stream was opened before. The file may have changed since then. Volatile: several threads set it, but
     * only to true.
     */
    private volatile boolean opened;

    /**
     * Whether the file is closed. Volatile: the closing thread sets it, and a request that ends later then closes its
     * stream.
     */
    private volatile boolean closed;

    FlinkRangedFile(
            FileSystem files, Path path, String name, FileState state, Requests requests, StorageOptions options) {
        this.files = files;
        this.path = path;
        this.name = name;
        this.state = state;
        this.requests = requests;
        this.chunkBytes = options.chunkBytes();
        this.mostPending = options.requests();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long size() {
        return state.size();
    }

    /** A consumer of pieces of the file. */
    @FunctionalInterface
    interface PieceTarget {
        void accept(long position, byte[] piece) throws IOException;
    }

    @Override
    public void read(long position, byte[] target, int from, int count) throws IOException {
        readPieces(
                position,
                count,
                (at, piece) -> System.arraycopy(piece, 0, target, from + (int) (at - position), piece.length));
    }

    /** Reads a range in chunks, several requests at once, and passes the chunks on in order. */
    void readPieces(long position, long count, PieceTarget target) throws IOException {
        if (position < 0 || position > size() - count) {
            throw pastEnd(position, count);
        }
        Deque<Piece> pending = new ArrayDeque<>();
        try {
            long next = position;
            long end = position + count;
            while (next < end || !pending.isEmpty()) {
                while (next < end && pending.size() < mostPending) {
                    int length = (int) Math.min(chunkBytes, end - next);
                    pending.add(new Piece(next, start(next, length)));
                    next += length;
                }
                Piece piece = pending.remove();
                target.accept(piece.position, piece.bytes.await());
            }
        } finally {
            pending.forEach(piece -> piece.bytes.drop());
        }
    }

    private record Piece(long position, Requests.Pending<byte[]> bytes) {}

    /** Starts a request for one range without waiting for it. */
    Requests.Pending<byte[]> start(long position, int count) {
        return requests.start(name, () -> fetch(position, count));
    }

    private byte[] fetch(long position, int count) throws IOException {
        FSDataInputStream stream = idle.poll();
        if (stream == null) {
            stream = open();
        }
        byte[] bytes = new byte[count];
        try {
            seek(stream, position);
            int found = stream.readNBytes(bytes, 0, count);
            if (found < count) {
                throw new EOFException("the connection ended after " + found + " of " + count + " bytes");
            }
        } catch (FileNotFoundException e) {
            Handles.closeAfter(e, stream);
            throw gone(e);
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, stream);
            throw e;
        }
        idle.add(stream);
        if (closed) {
            closeIdle();
        }
        return bytes;
    }

    /**
     * Moves the stream to a position. Over distances of up to a megabyte, Flink's Hadoop streams do not jump forward
     * but read the bytes between. They always jump backward. Therefore such a move goes to the end of the file first,
     * and then back to the position. Jumps transfer no bytes.
     */
    private void seek(FSDataInputStream stream, long position) throws IOException {
        long ahead = position - stream.getPos();
        if (ahead > MOST_GAP_BYTES && ahead <= MOST_FORWARD_BYTES && size() > MOST_FORWARD_BYTES) {
            stream.seek(0);
            stream.seek(size());
        }
        stream.seek(position);
    }

    private FSDataInputStream open() throws IOException {
        try {
            if (opened) {
                requireSame(files.getFileStatus(path));
            }
            opened = true;
            return files.open(path);
        } catch (FileNotFoundException e) {
            throw gone(e);
        }
    }

    private void requireSame(FileStatus now) throws DatasetException {
        if (now.getLen() != state.size() || now.getModificationTime() != state.modifiedMillis()) {
            throw new DatasetException(name + " has changed since it was opened: it had " + state.size()
                    + " bytes then and has " + now.getLen() + " now; start the run again");
        }
    }

    private DatasetException gone(FileNotFoundException cause) {
        return new DatasetException(name + " is gone: it had " + state.size() + " bytes when it was opened", cause);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        closeIdle();
    }

    private void closeIdle() throws IOException {
        for (FSDataInputStream stream = idle.poll(); stream != null; stream = idle.poll()) {
            stream.close();
        }
    }
}
