package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.ForwardingDataset;
import io.millrace.lifecycle.Handles;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A view of a dataset of documents that counts their tokens on a thread of its own while it is open. The CPU time of counting is part of
 * that of its readings. The view owns the dataset.
 *
 * <p>Tested by {@code CountingDatasetTest} and {@code GrowingPacksTest}.
 */
final class CountingDataset extends ForwardingDataset {
    private final GrowingCount count;
    private final CountingThread thread;

    CountingDataset(Dataset documents, GrowingCount count, CountingThread thread) {
        super(documents);
        this.count = count;
        this.thread = thread;
    }

    @Override
    public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        return new CountingReading(dataset().reading(random, epoch, count, indexes));
    }

    /** Returns false while documents are counted, because the thread of a Flink task must not wait for a count. */
    @Override
    public boolean resident() {
        return count.windows().isComplete() && dataset().resident();
    }

    @Override
    public @Nullable String awaits() {
        String message = count.awaits();
        return message == null ? dataset().awaits() : message;
    }

    @Override
    public void close() throws IOException {
        Handles.closeAll(List.of(thread, dataset()));
    }

    /** A reading of documents with a part of the time of counting. */
    private final class CountingReading implements Reading {
        private final Reading documents;
        private long countingNanos;

        CountingReading(Reading documents) {
            this.documents = documents;
        }

        @Override
        public boolean await(int i) throws IOException {
            return documents.await(i);
        }

        @Override
        public Sample read(int i) throws IOException {
            countingNanos += count.takeCountingNanos();
            return documents.read(i);
        }

        @Override
        public long remoteCpuNanos() {
            return countingNanos + documents.remoteCpuNanos();
        }

        @Override
        public long remoteCoreWaitNanos() {
            return documents.remoteCoreWaitNanos();
        }

        @Override
        public long queuedNanos() {
            return documents.queuedNanos();
        }

        @Override
        public int obtained() {
            return documents.obtained();
        }
    }
}
