package io.millrace.dataset.storage;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/**
 * A remote file that is read from front to back, in chunks. Some chunks are fetched ahead. After a dropped connection
 * the stream continues with the chunk that was interrupted. It owns the file, and belongs to one thread.
 */
final class RemoteInputStream extends InputStream {
    /** The number of pending requests besides the request for the chunk that is read next. */
    private static final int AHEAD = 2;

    private final FlinkRangedFile file;
    private final int chunkBytes;
    private final Deque<Requests.Pending<byte[]>> pending = new ArrayDeque<>();
    private long requestedUntil;
    private byte[] chunk = new byte[0];
    private int next;

    RemoteInputStream(FlinkRangedFile file, int chunkBytes) {
        this.file = file;
        this.chunkBytes = chunkBytes;
    }

    @Override
    public int read() throws IOException {
        return ready() ? chunk[next++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] target, int from, int count) throws IOException {
        Objects.checkFromIndexSize(from, count, target.length);
        if (count == 0) {
            return 0;
        }
        if (!ready()) {
            return -1;
        }
        int length = Math.min(count, chunk.length - next);
        System.arraycopy(chunk, next, target, from, length);
        next += length;
        return length;
    }

    /** Returns whether there is another byte. */
    private boolean ready() throws IOException {
        if (next < chunk.length) {
            return true;
        }
        while (requestedUntil < file.size() && pending.size() <= AHEAD) {
            int length = (int) Math.min(chunkBytes, file.size() - requestedUntil);
            pending.add(file.start(requestedUntil, length));
            requestedUntil += length;
        }
        if (pending.isEmpty()) {
            return false;
        }
        // A chunk that fails stays in the queue, so that a caller that continues to read does not skip it.
        chunk = pending.element().await();
        pending.remove();
        next = 0;
        return true;
    }

    @Override
    public void close() throws IOException {
        pending.forEach(Requests.Pending::drop);
        pending.clear();
        file.close();
    }
}
