package io.millrace.diagnosis.planted;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * A file system that slows down the local files, for addresses such as {@code
 * throttled://bandwidth-10000000.each-0.open-20/path}. The number after {@code bandwidth} is the limit in bytes per second for
 * all reads and writes of this process together. The number after {@code each} is the limit for one open file. For both, 0 means no
 * limit. The number after {@code open} is the time in milliseconds to open a file. The number after {@code request}, which may
 * be left out with its name, is the time in milliseconds before the first byte of a read that does not continue the read
 * before it: an object store answers each such read as a request of its own. Thread-safe.
 */
final class ThrottledFiles extends FileSystem {
    static final String SCHEME = "throttled";

    private static final Pattern SPEED = Pattern.compile(
            "bandwidth-([0-9]{1,15})[.]each-([0-9]{1,15})[.]open-([0-9]{1,6})(?:[.]request-([0-9]{1,6}))?");

    private final URI uri;
    private final FileSystem files = LocalFileSystem.getSharedInstance();
    private final long bytesPerSecond;
    private final long eachBytesPerSecond;
    private final long openMillis;
    private final long requestMillis;

    /** The time at which all reads and writes requested so far will be finished, by {@link System#nanoTime}. */
    private final AtomicLong finishedNanos = new AtomicLong(System.nanoTime());

    /**
     * Creates the file system with the speeds of an address.
     *
     * @throws IOException when the address contains no speeds
     */
    ThrottledFiles(URI address) throws IOException {
        Matcher speed = SPEED.matcher(String.valueOf(address.getAuthority()));
        if (!speed.matches()) {
            throw new IOException("expected an address such as " + SCHEME
                    + "://bandwidth-10000000.each-0.open-20.request-20/path, where .request-20 may be left out, found "
                    + address);
        }
        this.uri = URI.create(SCHEME + "://" + address.getAuthority() + "/");
        this.bytesPerSecond = Long.parseLong(speed.group(1));
        this.eachBytesPerSecond = Long.parseLong(speed.group(2));
        this.openMillis = Long.parseLong(speed.group(3));
        this.requestMillis = speed.group(4) == null ? 0 : Long.parseLong(speed.group(4));
    }

    private static Path local(Path path) {
        return new Path(path.getPath());
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        pause(TimeUnit.MILLISECONDS.toNanos(openMillis));
        return new Throttled(files.open(local(path)));
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path);
    }

    /** Waits until the shared bandwidth and that of one file allow a read or write of so many bytes. */
    private void awaitBandwidth(int bytes) throws IOException {
        if (bytesPerSecond > 0) {
            long duration = nanos(bytes, bytesPerSecond);
            long now = System.nanoTime();
            pause(finishedNanos.updateAndGet(finished -> Math.max(finished, now) + duration) - now);
        }
        pause(nanos(bytes, eachBytesPerSecond));
    }

    private static long nanos(int bytes, long bytesPerSecond) {
        return bytesPerSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) * bytes / bytesPerSecond;
    }

    private static void pause(long nanos) throws IOException {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for throttled storage", e);
        }
    }

    /** A stream that waits for the bandwidth of all files and of its own file. */
    private final class Throttled extends FSDataInputStream {
        private final FSDataInputStream in;

        /** The position of the byte after the last one that was read; -1 before the first read. */
        private long continuesAt = -1;

        private Throttled(FSDataInputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            awaitRequest();
            int value = in.read();
            continuesAt = in.getPos();
            if (value >= 0) {
                awaitBandwidth(1);
            }
            return value;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            awaitRequest();
            int count = in.read(target, offset, length);
            continuesAt = in.getPos();
            if (count > 0) {
                awaitBandwidth(count);
            }
            return count;
        }

        private void awaitRequest() throws IOException {
            if (requestMillis > 0 && in.getPos() != continuesAt) {
                pause(TimeUnit.MILLISECONDS.toNanos(requestMillis));
            }
        }

        @Override
        public void seek(long position) throws IOException {
            in.seek(position);
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return files.getFileStatus(local(path));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return files.listStatus(local(path));
    }

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) throws IOException {
        return files.getFileBlockLocations(file, start, length);
    }

    @Override
    public URI getUri() {
        return uri;
    }

    @Override
    public Path getWorkingDirectory() {
        return new Path(uri);
    }

    @Override
    public Path getHomeDirectory() {
        return new Path(uri);
    }

    @Override
    public boolean isDistributedFS() {
        return false;
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode overwrite) throws IOException {
        pause(TimeUnit.MILLISECONDS.toNanos(openMillis));
        return new ThrottledOutput(files.create(local(path), overwrite));
    }

    @Override
    public boolean mkdirs(Path path) throws IOException {
        return files.mkdirs(local(path));
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return files.delete(local(path), recursive);
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        return files.rename(local(from), local(to));
    }

    /** A stream that waits for the bandwidth of all files and of its own file before it writes. */
    private final class ThrottledOutput extends FSDataOutputStream {
        private final FSDataOutputStream out;

        private ThrottledOutput(FSDataOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int value) throws IOException {
            awaitBandwidth(1);
            out.write(value);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            awaitBandwidth(length);
            out.write(source, offset, length);
        }

        @Override
        public long getPos() throws IOException {
            return out.getPos();
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void sync() throws IOException {
            out.sync();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
