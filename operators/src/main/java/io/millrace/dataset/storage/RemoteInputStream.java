package io.millrace.dataset.storage;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/**
 * A remote file that is read from front to back, in chunks of which some are fetched ahead. After a dropped connection
 * the stream continues with the chunk that was interrupted. It owns the file. For one thread.
 */
final class RemoteInputStream extends InputStream {
    /** The number of pending requests: one for the chunk that is read next, and two more. */
    private static final int AHEAD = 2;

    private final FlinkRangedFile file;
    private final int chunkBytes;
    private final Deque<Requests.Pending<byte[]>> underway = new ArrayDeque<>();
    private long sent;
    private byte[] chunk = new byte[0];
    private int place;

    RemoteInputStream(FlinkRangedFile file, int chunkBytes) {
        this.file = file;
        this.chunkBytes = chunkBytes;
    }

    @Override
    public int read() throws IOException {
        return ready() ? chunk[place++] & 0xFF : -1;
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
        int length = Math.min(count, chunk.length - place);
        System.arraycopy(chunk, place, target, from, length);
        place += length;
        return length;
    }

    /** Returns whether there is another byte. */
    private boolean ready() throws IOException {
        if (place < chunk.length) {
            return true;
        }
        while (sent < file.size() && underway.size() <= AHEAD) {
            int length = (int) Math.min(chunkBytes, file.size() - sent);
            underway.add(file.start(sent, length));
            sent += length;
        }
        if (underway.isEmpty()) {
            return false;
        }
        // The chunk stays in the queue when it fails, so a caller that reads on does not miss it.
        chunk = underway.element().await();
        underway.remove();
        place = 0;
        return true;
    }

    @Override
    public void close() throws IOException {
        underway.forEach(Requests.Pending::drop);
        underway.clear();
        file.close();
    }
}
