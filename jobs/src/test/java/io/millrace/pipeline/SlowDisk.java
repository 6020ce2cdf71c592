package io.millrace.pipeline;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.core.fs.local.LocalRecoverableWriter;

/** Local files under another scheme, {@code slow:///tmp/x}, which are written as slowly as a test requires. */
public final class SlowDisk extends LocalFileSystem {
    private static final String SCHEME = "slow";

    /** A hook that runs on the writing thread before the first bytes of a file are written. */
    public interface Pause {
        void before(Path file) throws IOException;
    }

    private static volatile Pause pause = file -> {};

    private SlowDisk() {}

    /** Sets the hook for all files that are created from now on. */
    public static void setPause(Pause slow) {
        pause = slow;
    }

    public static String path(java.nio.file.Path folder) {
        return SCHEME + "://" + folder;
    }

    @Override
    public URI getUri() {
        return URI.create(SCHEME + ":///");
    }

    @Override
    public FSDataOutputStream create(Path file, WriteMode mode) throws IOException {
        return new Slow(file, super.create(file, mode));
    }

    /** Disables recoverable writers, so that Flink also writes a checkpoint's own file with {@link #create}. */
    @Override
    public LocalRecoverableWriter createRecoverableWriter() {
        throw new UnsupportedOperationException();
    }

    /** The factory that Flink loads as a service. */
    public static final class Factory implements FileSystemFactory {
        @Override
        public String getScheme() {
            return SCHEME;
        }

        @Override
        public FileSystem create(URI uri) {
            return new SlowDisk();
        }
    }

    private static final class Slow extends FSDataOutputStream {
        private final Path file;
        private final FSDataOutputStream out;
        private boolean began;

        Slow(Path file, FSDataOutputStream out) {
            this.file = file;
            this.out = out;
        }

        private void begin() throws IOException {
            if (!began) {
                began = true;
                pause.before(file);
            }
        }

        @Override
        public void write(int value) throws IOException {
            begin();
            out.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            begin();
            out.write(bytes, offset, length);
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
