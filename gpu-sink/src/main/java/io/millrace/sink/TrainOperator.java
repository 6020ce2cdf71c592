package io.millrace.sink;

import io.millrace.batch.MicroBatch;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.order.BatchPlan;
import io.millrace.sample.Failure;
import io.millrace.train.TrainSpec;
import io.millrace.train.TrainSpecException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.function.ThrowingRunnable;
import org.jspecify.annotations.Nullable;

/**
 * Puts rows at their place in their batch and hands whole batches, in order, to the trainer's thread.
 *
 * <p>Batches live in a ring of preallocated memory. Rows that come before their batch has a slot are parked in the
 * micro-batch they came in. While the trainer has whole batches to do and rows are parked, the operator yields its
 * mailbox: checkpoints go on, and Flink sees it busy and holds back what is upstream. The lowest batch that is not whole
 * always has a slot, so its rows are never waited for while they wait behind others.
 *
 * <p>Emits nothing; its {@link TrainReport} goes to the client as an accumulator.
 */
public final class TrainOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<MicroBatch, Void>, BoundedOneInput {
    private static final long serialVersionUID = 1;

    private final transient SinkSpec spec;
    private final transient BatchPlan plan;
    private final transient MailboxExecutor mailbox;
    private final transient TrainerMetrics shown = new TrainerMetrics();

    private transient @Nullable Device device;
    private transient DeviceBatch[] ring = {};
    private transient @Nullable BatchAssembly assembly;
    private transient @Nullable ParkedRows parked;
    private transient @Nullable QuarantineLog quarantine;
    private transient @Nullable TrainerThread trainer;
    private transient @Nullable Throwable failure;
    private transient long assembleNanos;

    TrainOperator(StreamOperatorParameters<Void> parameters, SinkSpec spec, MailboxExecutor mailbox) {
        super(parameters);
        this.spec = spec;
        this.plan = spec.plan();
        this.mailbox = mailbox;
    }

    @Override
    public void open() throws Exception {
        super.open();
        Path folder = Files.createDirectories(Path.of(spec.folder()));
        TrainSpec train = spec.train();
        HostDevice host = new HostDevice();
        device = host;
        ring = new DeviceBatch[spec.ring()];
        try {
            for (int i = 0; i < ring.length; i++) {
                ring[i] = host.allocate(train.input(), plan.batch());
            }
        } catch (IllegalArgumentException e) {
            throw new TrainSpecException(
                    "a batch of " + plan.batch() + " rows is too large: " + e.getMessage()
                            + ". Set a smaller batch.size",
                    e);
        }
        assembly = new BatchAssembly(plan, ring.length, 0);
        parked = new ParkedRows();
        quarantine = new QuarantineLog(folder, spec.maxQuarantined(), plan.size() + plan.evaluationSize());
        shown.register(getMetricGroup());
        TrainerThread thread = new TrainerThread(
                "millrace-trainer-" + getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
                ring.length,
                () -> new Trainer(plan, spec.opener().open(train, plan.batch()), new StepLog(folder), folder, shown),
                new TrainerThread.Listener() {
                    @Override
                    public void trained(DeviceBatch batch) {
                        mail(TrainOperator.this::batchTrained, "batch trained");
                    }

                    @Override
                    public void ended() {
                        mail(() -> {}, "trainer ended"); // wakes endInput
                    }

                    @Override
                    public void failed(Throwable cause) {
                        mail(() -> trainerFailed(cause), "trainer failed");
                    }
                });
        trainer = thread;
        thread.start();
    }

    @Override
    public void processElement(StreamRecord<MicroBatch> element) throws Exception {
        long began = System.nanoTime();
        accept(element.getValue());
        assembled(began);
        while (failure == null && open(parked).size() > 0 && !open(assembly).nextHasSlot()) {
            mailbox.yield();
        }
        rethrow();
        shown.waitingRows = open(assembly).waitingRows() + open(parked).size();
    }

    /** Called on the trainer's thread: runs {@code action} on the task's. */
    private void mail(ThrowingRunnable<Exception> action, String what) {
        try {
            mailbox.execute(action, what);
        } catch (RejectedExecutionException e) {
            LOG.debug("the task is closing and needs no word of: {}", what);
        }
    }

    private void accept(MicroBatch microBatch) throws Exception {
        List<Integer> parkedRows = new ArrayList<>();
        List<Long> parkedBatches = new ArrayList<>();
        BatchAssembly batches = open(assembly);
        try {
            for (int row = 0; row < microBatch.rows(); row++) {
                long batch = plan.batchNumber(microBatch.position(row));
                if (batches.hasSlot(batch)) {
                    place(microBatch, row, batch);
                } else {
                    parkedRows.add(row);
                    parkedBatches.add(batch);
                }
            }
        } catch (Throwable e) {
            microBatch.close();
            throw e;
        }
        open(parked).park(microBatch, parkedRows, parkedBatches);
        submitWhole();
    }

    private void place(MicroBatch microBatch, int row, long number) throws Exception {
        BatchAssembly batches = open(assembly);
        BatchPlan.Batch batch = plan.batch(number);
        long position = microBatch.position(row);
        int place = Math.toIntExact(position - batch.firstPosition());
        DeviceBatch target = ring[batches.slot(number)];
        if (batches.arrive(number, place)) {
            target.begin(number, batch.step(), batch.epoch(), batch.split(), batch.rows());
        }
        Failure bad = microBatch.failure(row);
        if (bad != null) {
            QuarantineLog log = open(quarantine);
            log.add(batch.split(), microBatch.index(row), bad);
            shown.missingRows = log.rows();
            return;
        }
        for (int column = 0; column < spec.train().input().columns().size(); column++) {
            target.put(column, place, microBatch.address(column, row), microBatch.bytes(column, row));
        }
        target.place(place, position, microBatch.index(row), microBatch.label(row));
    }

    private void submitWhole() {
        BatchAssembly batches = open(assembly);
        while (batches.nextIsWhole()) {
            DeviceBatch whole = ring[batches.slot(batches.take())];
            whole.seal();
            open(trainer).submit(whole);
        }
    }

    /** A mail of the trainer: a slot is free, and rows that waited for it find their place. */
    private void batchTrained() throws Exception {
        if (trainer == null) {
            return; // closed meanwhile
        }
        long began = System.nanoTime();
        long freed = open(assembly).trained();
        ParkedRows rows = open(parked);
        for (ParkedRows.Row row : rows.unpark(freed)) {
            place(row.microBatch(), row.row(), freed);
            rows.release(row);
        }
        submitWhole();
        assembled(began);
    }

    private void assembled(long began) {
        assembleNanos += System.nanoTime() - began;
        shown.assembleNanos = assembleNanos;
    }

    private void trainerFailed(Throwable cause) throws Exception {
        failure = cause;
        rethrow();
    }

    private void rethrow() throws Exception {
        Throwable cause = failure;
        if (cause instanceof Exception exception) {
            throw exception;
        }
        if (cause instanceof Error error) {
            throw error;
        }
    }

    /** Lets the trainer finish what is whole, so that a checkpoint holds no batch in training. */
    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        drain();
    }

    private void drain() throws Exception {
        while (failure == null && open(assembly).inTraining() > 0) {
            mailbox.yield();
        }
        rethrow();
    }

    @Override
    public void endInput() throws Exception {
        drain();
        BatchAssembly batches = open(assembly);
        if (batches.next() != plan.batches()) {
            throw new IllegalStateException("the input ended with batch " + batches.next() + " of " + plan.batches()
                    + " not whole: " + batches.waitingRows() + " rows of it and later ones, "
                    + open(parked).size()
                    + " parked");
        }
        Future<TrainReport> done = open(trainer).finish();
        while (failure == null && !done.isDone()) {
            mailbox.yield();
        }
        rethrow();
    }

    @Override
    public void close() throws Exception {
        TrainerThread thread = trainer;
        trainer = null;
        try {
            TrainReport done = thread == null ? null : thread.stop();
            QuarantineLog log = quarantine;
            if (log != null) {
                if (done != null) {
                    TrainReport whole = done.withTask(log.distinct(), log.rows(), assembleNanos);
                    ReportAccumulator report = new ReportAccumulator();
                    report.add(whole);
                    getRuntimeContext().addAccumulator(TrainReport.ACCUMULATOR, report);
                    spec.target()
                            .ended(
                                    whole,
                                    failure,
                                    getRuntimeContext().getTaskInfo().getAttemptNumber());
                }
                log.write();
            }
        } finally {
            release();
            super.close();
        }
    }

    private void release() {
        if (parked != null) {
            parked.close();
        }
        for (DeviceBatch batch : ring) {
            if (batch != null) {
                batch.close();
            }
        }
        if (device != null) {
            device.close();
        }
    }

    private static <T> T open(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("the training operator is not open");
        }
        return value;
    }
}
