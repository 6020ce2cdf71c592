package io.millrace.dataset.storage;

import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/** A file in a file system of Flink's. Its streams serve one thread each, so that there are as many as reads at a time. */
final class FlinkRangedFile implements RangedFile {
    private final FileSystem files;
    private final Path path;
    private final String name;
    private final long size;
    private final ConcurrentLinkedQueue<FSDataInputStream> idle = new ConcurrentLinkedQueue<>();

    FlinkRangedFile(FileSystem files, Path path, String name, long size) {
        this.files = files;
        this.path = path;
        this.name = name;
        this.size = size;
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
        FSDataInputStream stream = idle.poll();
        if (stream == null) {
            stream = files.open(path);
        }
        try {
            stream.seek(position);
            if (stream.readNBytes(target, from, count) < count) {
                throw pastEnd(position, count);
            }
        } catch (IOException | RuntimeException e) {
            try {
                stream.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        idle.add(stream);
    }

    @Override
    public void close() throws IOException {
        for (FSDataInputStream stream = idle.poll(); stream != null; stream = idle.poll()) {
            stream.close();
        }
    }
}
