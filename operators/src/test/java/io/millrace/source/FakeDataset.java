package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.StoredRows;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A dataset of samples of one byte each, some of them slow, bad or unreadable. */
final class FakeDataset implements Dataset {
    private final long size;
    private volatile boolean resident;
    private final Map<Long, CountDownLatch> slow = new ConcurrentHashMap<>();
    private final Set<Long> bad = ConcurrentHashMap.newKeySet();
    private final Set<Long> unreadable = ConcurrentHashMap.newKeySet();
    private final AtomicInteger reading = new AtomicInteger();
    private final Set<Long> read = ConcurrentHashMap.newKeySet();
    private final Set<String> threads = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private @Nullable StoredRows rows;

    private FakeDataset(long size, boolean resident) {
        this.size = size;
        this.resident = resident;
    }

    static FakeDataset inMemory(long size) {
        return new FakeDataset(size, true);
    }

    static FakeDataset inFiles(long size) {
        return new FakeDataset(size, false);
    }

    /** Changes whether the samples are in memory. */
    void setResident(boolean now) {
        resident = now;
    }

    /** Returns the names of the threads that have read. */
    Set<String> threads() {
        return threads;
    }

    /** Makes reads of this sample wait for the returned latch. */
    CountDownLatch slow(long index) {
        return slow.computeIfAbsent(index, i -> new CountDownLatch(1));
    }

    FakeDataset bad(long index) {
        bad.add(index);
        return this;
    }

    FakeDataset unreadable(long index) {
        unreadable.add(index);
        return this;
    }

    /** Stores the samples in rows, too. */
    FakeDataset withRows() {
        rows = new StoredRows() {
            @Override
            public List<Column> columns() {
                return List.of(new Column(Sample.IMAGE, DType.UINT8, List.of(1, 1, 1)));
            }

            @Override
            public void copy(int column, long index, long address) {
                throw new UnsupportedOperationException("a reader copies no values");
            }

            @Override
            public void load(int column, long index) {
                assertThat(resident).as("a resident dataset need not be loaded").isFalse();
                read.add(index);
            }

            @Override
            public String key(long index) {
                return "file" + index;
            }
        };
        return this;
    }

    /** Returns the samples whose reading has begun. */
    Set<Long> read() {
        return read;
    }

    boolean closed() {
        return closed;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Sample read(long index) throws IOException {
        if (closed) {
            throw new IllegalStateException("read after close");
        }
        read.add(index);
        threads.add(Thread.currentThread().getName());
        reading.incrementAndGet();
        try {
            CountDownLatch latch = slow.get(index);
            if (latch != null) {
                latch.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            reading.decrementAndGet();
        }
        if (bad.contains(index)) {
            throw new BadSampleException("file" + index, 42, "expected a marker, found none");
        }
        if (unreadable.contains(index)) {
            throw new IOException("file" + index + ": input/output error");
        }
        return new Sample(index, "file" + index, index % 10)
                .put(Sample.IMAGE, Field.image(1, 1, 1, new byte[] {(byte) index}));
    }

    @Override
    public @Nullable StoredRows rows() {
        return rows;
    }

    @Override
    public long label(long index) throws IOException {
        if (bad.contains(index)) {
            throw new BadSampleException("file" + index, 42, "expected a label, found none");
        }
        return index % 10;
    }

    @Override
    public List<String> classes() {
        return List.of();
    }

    @Override
    public boolean resident() {
        return resident;
    }

    @Override
    public void close() {
        if (reading.get() > 0) {
            throw new IllegalStateException("closed while " + reading.get() + " threads read");
        }
        closed = true;
    }
}
