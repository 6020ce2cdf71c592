package io.millrace.dataset.storage;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/** A local file system whose reads fail when a test requires a failure. It counts the requests. */
final class FlakyFiles extends LocalFileSystem {
    /**
     * A fault that a test injects into a request. A request is a series of consecutive reads. Requests are counted from
     * 0.
     */
    @FunctionalInterface
    interface Fault {
        void onRequest(int number) throws IOException;
    }

    private final Fault fault;
    private final AtomicInteger pending = new AtomicInteger();
    final AtomicInteger requests = new AtomicInteger();
    final AtomicInteger mostPending = new AtomicInteger();
    final AtomicInteger open = new AtomicInteger();
    final AtomicLong bytes = new AtomicLong();

    FlakyFiles(Fault fault) {
        this.fault = fault;
    }

    /** Returns files without faults. */
    static FlakyFiles sound() {
        return new FlakyFiles(number -> {});
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        FSDataInputStream stream = super.open(path);
        open.incrementAndGet();
        return new FSDataInputStream() {
            private boolean closed;
            private boolean requested;

            @Override
            public void seek(long position) throws IOException {
                requested = false;
                stream.seek(position);
            }

            @Override
            public long getPos() throws IOException {
                return stream.getPos();
            }

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] target, int from, int count) throws IOException {
                mostPending.accumulateAndGet(pending.incrementAndGet(), Math::max);
                try {
                    if (!requested) {
                        requested = true;
                        fault.onRequest(requests.getAndIncrement());
                    }
                    int read = stream.read(target, from, count);
                    bytes.addAndGet(Math.max(0, read));
                    return read;
                } finally {
                    pending.decrementAndGet();
                }
            }

            @Override
            public void close() throws IOException {
                if (!closed) {
                    closed = true;
                    open.decrementAndGet();
                }
                stream.close();
            }
        };
    }
}
