package io.millrace.dataset.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A remote file whose chunks are kept in the cache once they are read. A chunk cannot leave the cache while it is being
 * read.
 */
final class CachedRangedFile implements RangedFile {
    private final FlinkRangedFile remote;
    private final Storage.FileState state;
    private final ShardCache cache;
    private final int chunkBytes;

    /** Creates the file and takes ownership of the remote file. */
    CachedRangedFile(FlinkRangedFile remote, Storage.FileState state, ShardCache cache, int chunkBytes) {
        this.remote = remote;
        this.state = state;
        this.cache = cache;
        this.chunkBytes = chunkBytes;
    }

    @Override
    public String name() {
        return remote.name();
    }

    @Override
    public long size() {
        return remote.size();
    }

    @Override
    public void read(long position, byte[] target, int from, int count) throws IOException {
        if (position < 0 || position > size() - count) {
            throw pastEnd(position, count);
        }
        int done = 0;
        while (done < count) {
            long at = position + done;
            long chunk = at / chunkBytes * chunkBytes;
            int length = (int) Math.min(count - done, chunk + chunkBytes - at);
            readWithin(chunk, at, target, from + done, length);
            done += length;
        }
    }

    private void readWithin(long chunk, long position, byte[] target, int from, int count) throws IOException {
        int length = (int) Math.min(chunkBytes, size() - chunk);
        Optional<ShardCache.Pin> copy = cache.pin(
                new ShardCache.Piece(name(), state, chunk, length),
                disk -> disk.write(0, remote.start(chunk, length).await()));
        if (copy.isEmpty()) {
            remote.read(position, target, from, count);
            return;
        }
        try (ShardCache.Pin pin = copy.get();
                FileChannel file = FileChannel.open(pin.path(), StandardOpenOption.READ)) {
            ByteBuffer buffer = ByteBuffer.wrap(target, from, count);
            while (buffer.hasRemaining()) {
                if (file.read(buffer, position - chunk + buffer.position() - from) < 0) {
                    throw new IOException("the cache's copy " + pin.path() + " of " + name() + " is cut off: it has "
                            + file.size() + " of " + length + " bytes; remove it");
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        remote.close();
    }
}
