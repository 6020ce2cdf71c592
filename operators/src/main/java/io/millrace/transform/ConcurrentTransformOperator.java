package io.millrace.transform;

import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import io.millrace.trace.Recording;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.jspecify.annotations.Nullable;

/**
 * The operator that applies its transform to several samples at the same time, in threads of its own. It hands on everything in the
 * order in which it arrived. Nothing waits here when a checkpoint begins, so the operator has no state.
 *
 * <p>Flink's own operator for asynchronous work keeps the waiting records as state instead, which would have to store whole samples.
 *
 * <p>Tested by {@code PythonWorkersTest}.
 */
final class ConcurrentTransformOperator extends StageOperator {
    private static final long serialVersionUID = 1;

    /** So many samples for each worker may be here: a worker goes on while the result of an earlier sample is awaited. */
    private static final int SAMPLES_PER_WORKER = 2;

    private transient Deque<Waiting> waiting;
    private transient TransformWorkers workers;
    private transient MailboxExecutor mailbox;

    /** Whether the task's thread has been asked to look for results, and has not done it yet. */
    private transient AtomicBoolean asked;

    /**
     * What arrived and was not handed on yet.
     *
     * @param work the work on a sample; null when there is none
     * @param handing hands it on
     */
    private record Waiting(@Nullable TransformWork work, Handing handing) {
        boolean isReady() {
            return work == null || work.isDone();
        }
    }

    @FunctionalInterface
    private interface Handing {
        void handOn() throws Exception;
    }

    @SuppressWarnings("NullAway.Init") // open() creates the transient fields, in the task
    ConcurrentTransformOperator(StagePlace place, @Nullable Recording recording) {
        super(place, recording);
    }

    @Override
    public void open() throws Exception {
        super.open();
        waiting = new ArrayDeque<>();
        asked = new AtomicBoolean();
        mailbox = getContainingTask()
                .getMailboxExecutorFactory()
                .createExecutor(getOperatorConfig().getChainIndex());
        workers = TransformWorkers.start(count(), place().stage(), this::transform, this::ask);
        metrics().callsCode(workers::code);
        metrics().caches(workers::cacheUse);
    }

    private int count() {
        return place().spec().workers();
    }

    /** Asks the task's thread to hand on, in case no further sample arrives. A worker calls it. */
    private void ask() {
        if (!asked.compareAndSet(false, true)) {
            return;
        }
        try {
            mailbox.execute(
                    () -> {
                        asked.set(false);
                        handOnReady(System.nanoTime());
                    },
                    "hand on samples of %s",
                    place().stage());
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: the task has ended before a sample was handed on", place().stage(), e);
        }
    }

    @Override
    public void processElement(StreamRecord<Sample> element) throws Exception {
        long called = System.nanoTime();
        Sample sample = element.getValue();
        StreamRecord<Sample> own = element.copy(sample); // the caller may use its record again
        StageDone before = doneBefore(sample);
        if (passes(sample)) {
            if (!waiting.isEmpty()) {
                sample.keep(); // earlier transforms work on their next sample while this one waits
            }
            waiting.add(new Waiting(null, () -> output.collect(own)));
        } else if (before == null || !before.whole()) {
            sample.keep();
            TransformWork work = new TransformWork(sample);
            waiting.add(new Waiting(work, () -> handOn(work, before, own)));
            workers.add(work);
        } else {
            waiting.add(new Waiting(null, () -> {
                long bytes = takeOver(sample, before, workers.first());
                add(before.nanos(), before.cpuNanos(), bytes);
                handOn(own, before.next());
            }));
        }
        while (waiting.size() > SAMPLES_PER_WORKER * count()) {
            handOnFirst(called);
        }
        handOnReady(called);
    }

    private void handOn(TransformWork work, @Nullable StageDone before, StreamRecord<Sample> element)
            throws InterruptedException {
        TransformWork.Result result = work.await();
        if (!result.good()) {
            metrics().failed();
        }
        StageDone all = result.done();
        // The workers work at the same time, so each sample has a share of the time.
        StageDone own = all == null ? null : all.shared(count());
        long nanos = (result.nanos() - (all == null ? 0 : all.laterNanos())) / count();
        long earlier = before == null ? 0 : before.nanos();
        add(earlier + nanos, result.cpuNanos(), bytes(element.getValue(), own));
        handOn(element, own == null ? null : own.next());
    }

    private void add(long nanos, long cpuNanos, long bytes) {
        metrics().addWork(nanos, cpuNanos, 1, bytes);
        metrics().addRecords(nanos, 1);
    }

    private void handOnReady(long called) throws Exception {
        while (!waiting.isEmpty() && waiting.element().isReady()) {
            handOnFirst(called);
        }
    }

    /**
     * Waits for the first of the waiting and hands it on.
     *
     * @param called when the operator was called for it, by {@link System#nanoTime}
     */
    private void handOnFirst(long called) throws Exception {
        Waiting first = waiting.element();
        if (first.work() != null) {
            first.work().await();
        }
        waiting.remove();
        long began = System.nanoTime();
        first.handing().handOn();
        metrics().handedOnBetween(called, began);
    }

    private void handOnAll() throws Exception {
        while (!waiting.isEmpty()) {
            handOnFirst(System.nanoTime());
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        waiting.add(new Waiting(null, () -> super.processWatermark(mark)));
        handOnReady(System.nanoTime());
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        handOnAll();
        super.processWatermarkStatus(status);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        handOnAll();
    }

    @Override
    public void finish() throws Exception {
        handOnAll();
        super.finish();
    }

    @Override
    public void close() throws Exception {
        try {
            if (workers != null) { // null when open() failed
                workers.close();
            }
        } finally {
            super.close();
        }
    }
}
