package io.millrace.python;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.OversizedSampleException;
import io.millrace.metrics.CoreWait;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reading of several items in a known order. Items are asked for in advance, so that quick ones share a message. A worker that
 * ends or hangs is replaced, and the item that it worked on is tried once more. Then the item is a bad sample.
 *
 * <p>Tested by {@code PythonDatasetTest}.
 */
final class PythonReading implements Dataset.Reading {
    private static final Logger LOG = LoggerFactory.getLogger(PythonReading.class);

    private final PythonDataset dataset;
    private final WorkerPool pool;
    private final SampleRandom random;
    private final int epoch;
    private final int count;
    private final IntToLongFunction indexes;

    /** The outcomes from the number {@link #next} on. */
    private final Deque<Outcome> ahead = new ArrayDeque<>();

    private int next;
    private long cpuNanos;
    private long queuedNanos;
    private long coreWaitNanos;

    /** The numbers of the items that have ended a worker once. */
    private final BitSet tried = new BitSet();

    /** The numbers of the items that have ended a worker twice, and how. */
    private final TreeMap<Integer, String> condemned = new TreeMap<>();

    /** A sample, or the reason why there is none. */
    private record Outcome(
            @Nullable Sample sample, @Nullable BadSampleException bad) {}

    PythonReading(
            PythonDataset dataset,
            WorkerPool pool,
            SampleRandom random,
            int epoch,
            int count,
            IntToLongFunction indexes) {
        this.dataset = dataset;
        this.pool = pool;
        this.random = random;
        this.epoch = epoch;
        this.count = count;
        this.indexes = indexes;
    }

    @Override
    public Sample read(int i) throws IOException {
        while (next < i && !ahead.isEmpty()) {
            ahead.poll();
            next++;
        }
        next = i;
        while (ahead.isEmpty()) {
            readOn();
        }
        Outcome outcome = ahead.remove();
        next++;
        if (outcome.bad() != null) {
            throw outcome.bad();
        }
        if (outcome.sample() == null) {
            throw new IllegalStateException("an outcome without a sample");
        }
        return outcome.sample();
    }

    private void readOn() throws IOException {
        int end = Math.min(count, next + DatasetWorker.MOST_ITEMS);
        if (!condemned.isEmpty() && condemned.firstKey() < end) {
            end = condemned.firstKey();
        }
        if (end == next) {
            String how = condemned.remove(next);
            ahead.add(new Outcome(
                    null,
                    new BadSampleException(
                            dataset.key(indexes.applyAsLong(next)), -1, dataset.call() + ", tried twice: " + how)));
            return;
        }
        long[] wanted = new long[end - next];
        long[] bits = new long[wanted.length];
        for (int i = 0; i < wanted.length; i++) {
            wanted[i] = indexes.applyAsLong(next + i);
            random.reset(epoch, wanted[i]);
            bits[i] = (long) random.nextInt() << Integer.SIZE | Integer.toUnsignedLong(random.nextInt());
        }
        List<ItemReply> replies = replies(wanted, bits);
        for (int i = 0; i < replies.size(); i++) {
            ahead.add(outcome(wanted[i], replies.get(i)));
        }
    }

    /** Returns the first replies; none when the worker was lost. */
    private List<ItemReply> replies(long[] wanted, long[] bits) throws IOException {
        long asked = System.nanoTime();
        DatasetWorker worker = pool.take();
        queuedNanos += System.nanoTime() - asked;
        try {
            dataset.requireSame(worker);
            CoreWait wait = worker.coreWait();
            List<ItemReply> replies = worker.items(wanted, bits);
            coreWaitNanos += wait.nanos().orElse(0);
            pool.giveBack(worker);
            return replies;
        } catch (WorkerLostException e) {
            lost(wanted, Math.min(Math.max(0, worker.done()), wanted.length - 1), e);
            if (worker.replaced()) {
                pool.giveBack(worker);
            } else {
                pool.discard(worker);
            }
            return List.of();
        } catch (PythonException e) {
            pool.discard(worker);
            if (Thread.currentThread().isInterrupted()) {
                throw (InterruptedIOException) new InterruptedIOException(e.getMessage()).initCause(e);
            }
            throw new DatasetException(String.valueOf(e.getMessage()), e);
        } catch (IOException | RuntimeException e) {
            pool.discard(worker);
            throw e;
        }
    }

    private void lost(long[] wanted, int done, WorkerLostException e) {
        int blamed = next + done;
        if (tried.get(blamed)) {
            condemned.put(blamed, e.getMessage());
            return;
        }
        tried.set(blamed);
        LOG.warn(
                "{}: {} on item {}; the worker is replaced and the item tried once more",
                dataset.call(),
                e.getMessage(),
                wanted[done]);
    }

    private Outcome outcome(long index, ItemReply reply) throws DatasetException {
        cpuNanos += reply.cpuNanos();
        try {
            return switch (reply.status()) {
                case DONE -> new Outcome(dataset.sample(index, reply), null);
                case BAD_SAMPLE -> {
                    if (!reply.trace().isEmpty()) {
                        LOG.info("{}: item {} is bad: {}", dataset.call(), index, reply.trace());
                    }
                    throw new BadSampleException(dataset.key(index), -1, reply.reason());
                }
                case OVERSIZED -> throw new OversizedSampleException(dataset.key(index), -1, reply.reason());
                case WRONG_PIPELINE -> throw new DatasetException(dataset.call() + ": " + reply.reason());
            };
        } catch (BadSampleException e) {
            return new Outcome(null, e);
        }
    }

    @Override
    public long remoteCpuNanos() {
        return cpuNanos;
    }

    @Override
    public long remoteCoreWaitNanos() {
        return coreWaitNanos;
    }

    /** Returns the time for which the reading has waited for a worker so far. */
    @Override
    public long queuedNanos() {
        return queuedNanos;
    }

    @Override
    public int obtained() {
        return ahead.size();
    }
}
