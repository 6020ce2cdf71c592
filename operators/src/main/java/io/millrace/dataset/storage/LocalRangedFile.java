package io.millrace.dataset.storage;

import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file on this machine that is read by position. The operating system allows this for many threads at once. */
final class LocalRangedFile implements RangedFile {
    private final FileChannel channel;
    private final String name;
    private final long size;

    private LocalRangedFile(FileChannel channel, String name, long size) {
        this.channel = channel;
        this.name = name;
        this.size = size;
    }

    static LocalRangedFile open(Path path, String name) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        try {
            return new LocalRangedFile(channel, name, channel.size());
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, channel);
            throw e;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void read(long position, byte[] target, int from, int count) throws IOException {
        for (int done = 0; done < count; ) {
            ByteBuffer piece = ByteBuffer.wrap(target, from + done, Math.min(count - done, LocalStorage.READ_BYTES));
            int read = channel.read(piece, position + done);
            if (read < 0) {
                throw pastEnd(position, count);
            }
            done += read;
        }
    }

    @Override
    public Segments map() throws IOException {
        return Segments.map(channel, 0, size);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
