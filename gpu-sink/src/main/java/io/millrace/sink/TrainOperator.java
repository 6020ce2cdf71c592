package io.millrace.sink;

import io.millrace.batch.MicroBatch;
import io.millrace.device.DeviceBatch;
import io.millrace.exchange.RankGoneException;
import io.millrace.lifecycle.Handles;
import io.millrace.metrics.RecordedTask;
import io.millrace.order.RankPlan;
import io.millrace.trace.Trace;
import io.millrace.trace.Track;
import io.millrace.train.state.ModelState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.ThrowingRunnable;
import org.jspecify.annotations.Nullable;

/**
 * Hands whole batches, in order, to the trainer's thread, and makes its checkpoints.
 *
 * <p><b>Back pressure.</b> Batches live in a {@link BatchRing}. While all of it is in training and rows wait outside, the
 * operator yields its mailbox: Flink sees it busy and holds back what is upstream. The lowest batch that is not whole
 * always has a slot, so its rows are never waited for while they wait behind others.
 *
 * <p><b>Checkpoints.</b> Between two records Flink lets barriers in; while the operator yields within one it does not, be
 * they aligned or not (their mails have the lowest priority, below any operator's). That wait ends when the trainer
 * is done with one batch, since then the next batch has a slot. Before the barrier goes on, the batches that are whole are trained on;
 * then the trainer's thread copies its model, while this one copies the rows that wait. Flink writes the copies while the training goes on.
 *
 * <p><b>The end.</b> A model is written when the input ends, and when the job is stopped with a savepoint. A task that is
 * cancelled or fails writes none: another is to go on from a checkpoint as soon as it can.
 *
 * <p>Emits nothing; its {@link TrainReport} goes to the client as an accumulator.
 */
public final class TrainOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<MicroBatch, Void>, BoundedOneInput {
    private static final long serialVersionUID = 1;

    /** The resource and the property that Flink's plugin for GPUs tells of. */
    private static final String GPU = "gpu";

    private static final String GPU_INDEX = "index";

    private final transient SinkSpec spec;
    private final transient int rank;
    private final transient RankPlan plan;
    private final transient MailboxExecutor mailbox;
    private final transient @Nullable OperatorEventGateway coordinator;
    private final transient TrainerMetrics shown = new TrainerMetrics();
    private final transient ModelCopies copies = new ModelCopies();

    private transient Trace.@Nullable Share share;
    private transient @Nullable TrainStates states;
    private transient @Nullable RestoredState restored;
    private transient @Nullable TrainingDevice device;
    private transient @Nullable RowIntake rows;
    private transient @Nullable TrainerThread trainer;
    private transient @Nullable ReplicaBarrier replicas;
    private transient @Nullable Throwable failure;
    private transient Restarts restarts = Restarts.of(0);
    private transient boolean ended;
    private transient long slotWaitNanos;
    private transient long drainNanos;
    private transient SnapshotCost cost = SnapshotCost.NONE;

    /** A trainer of its own. */
    TrainOperator(StreamOperatorParameters<Void> parameters, SinkSpec spec, MailboxExecutor mailbox) {
        this(parameters, spec, mailbox, null);
    }

    /**
     * A trainer whose model may be kept equal to the others'.
     *
     * @param coordinator where ranks find one another; null when they need not
     */
    TrainOperator(
            StreamOperatorParameters<Void> parameters,
            SinkSpec spec,
            MailboxExecutor mailbox,
            @Nullable OperatorEventGateway coordinator) {
        super(parameters);
        this.coordinator = coordinator;
        this.rank =
                parameters.getContainingTask().getEnvironment().getTaskInfo().getIndexOfThisSubtask();
        this.spec = spec.of(rank);
        this.plan = spec.trainers().plan(rank);
        this.mailbox = mailbox;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        TrainStates lists = new TrainStates(context.getOperatorStateStore());
        states = lists;
        try {
            restored = lists.take();
            if (context.isRestored() && restored == null) {
                throw new StateRefusedException(
                        "the checkpoint has no state of this trainer: go on with as many" + " trainers as there were");
            }
            if (restored == null && spec.initialState() != null) {
                restored = SavedRun.read(Path.of(spec.initialState())).restored();
            }
        } catch (Exception e) {
            throw exception(UnrecoverableFailures.toldAtStart(e));
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        share = RecordedTask.join(getMetricGroup(), spec.recording());
        try {
            begin(restored);
        } catch (Exception e) {
            throw exception(UnrecoverableFailures.toldAtStart(e));
        } finally {
            restored = null; // its rows have found their places
        }
    }

    private void requireAllRanks(int subtasks) {
        if (subtasks != spec.trainers().count()) {
            throw new IllegalStateException("the run has " + spec.trainers().count()
                    + " trainers (ranks), but Flink gave the training operator " + subtasks
                    + (subtasks == 1 ? " slot" : " slots") + ": every rank needs one. Add slots or TaskManagers, or set"
                    + " fewer ranks");
        }
    }

    private void begin(@Nullable RestoredState from) throws Exception {
        requireAllRanks(getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks());
        Path folder = Path.of(spec.folder());
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UnwritableException(folder, e);
        }
        QuarantineLog log = new QuarantineLog(
                folder, spec.maxQuarantined(), spec.plan().size() + spec.plan().evaluationSize());
        TrainingDevice opened = TrainingDevice.open(spec.device(), rank, gpus());
        device = opened;
        long first = from == null ? 0 : from.progress().nextBatch();
        BatchRing ring = new BatchRing(opened.device(), plan, spec.train().input(), spec.ring(), first);
        RowIntake intake = new RowIntake(spec, ring, log, this::submit);
        rows = intake;
        int attempt = getRuntimeContext().getTaskInfo().getAttemptNumber();
        restarts = Restarts.of(attempt);
        if (from != null) {
            restarts = Restarts.of(attempt, from.progress(), folder);
            cost = from.progress().checkpoints();
            intake.restore(from);
        }
        log.write();
        shown.register(getMetricGroup());
        TrainerMetrics.register(getMetricGroup(), opened);
        show();
        ReplicaBarrier others = takeSeat();
        ReplicaRendezvous seat = others == null ? null : others.seat();
        TrainerThread thread = new TrainerThread(
                "millrace-trainer-" + rank,
                first,
                () -> Trainer.open(spec, opened.device(), shown, from, seat),
                new TrainerMail());
        trainer = thread;
        thread.start();
        intake.handOn();
        if (others != null) {
            hearOfAll(others);
        }
    }

    /** What the trainer's thread tells, on the task's. */
    private final class TrainerMail implements TrainerThread.Listener {
        @Override
        public void trained(DeviceBatch batch) {
            mail(TrainOperator.this::batchTrained, "batch trained");
        }

        @Override
        public void held(long checkpoint) {
            mail(() -> open(replicas).held(checkpoint), "replicas wait for a checkpoint");
        }

        @Override
        public void paused(long checkpoint) {
            mail(() -> open(replicas).paused(checkpoint), "replicas are at a checkpoint");
        }

        @Override
        public void ended() {
            mail(() -> {}, "trainer ended"); // wakes endInput
        }

        @Override
        public void failed(Throwable cause) {
            mail(() -> trainerFailed(cause), "trainer failed");
        }
    }

    private void submit(DeviceBatch whole) {
        if (replicas == null) {
            whole.seal();
        }
        open(trainer).submit(whole);
    }

    /** The numbers of the GPUs that Flink's plugin gives to this task. */
    private List<String> gpus() {
        return getRuntimeContext().getExternalResourceInfos(GPU).stream()
                .flatMap(gpu -> gpu.getProperty(GPU_INDEX).stream())
                .sorted()
                .toList();
    }

    private @Nullable ReplicaBarrier takeSeat() throws IOException {
        if (coordinator == null) {
            return null;
        }
        replicas =
                ReplicaBarrier.take(rank, getContainingTask().getEnvironment().getTaskManagerInfo(), coordinator);
        return replicas;
    }

    /**
     * Waits for the coordinator's word before the first row: later, while this operator waits within a row or at a barrier for
     * its trainer, which waits for the others, Flink would not deliver it.
     */
    private void hearOfAll(ReplicaBarrier others) throws Exception {
        MailboxExecutor every =
                getContainingTask().getMailboxExecutorFactory().createExecutor(TaskMailbox.MIN_PRIORITY);
        while (failure == null && !others.hasHeard()) {
            every.yield();
        }
        rethrow();
    }

    /** The coordinator's word, on the task's thread. */
    void heard(OperatorEvent event) {
        if (event instanceof RankAddressesEvent all && replicas != null) {
            replicas.heard(all.table());
        }
    }

    @Override
    public void processElement(StreamRecord<MicroBatch> element) throws Exception {
        RowIntake intake = open(rows);
        onDevice(() -> intake.accept(element.getValue()));
        // While replicas wait for a checkpoint, its barrier must find its way here: the source's window bounds what
        // comes.
        while (failure == null && intake.isFull() && (replicas == null || !replicas.isHeld())) {
            long asked = System.nanoTime();
            mailbox.yield();
            slotWaitNanos += System.nanoTime() - asked;
        }
        rethrow();
        show();
    }

    /** Called on the trainer's thread: runs {@code action} on the task's. */
    private void mail(ThrowingRunnable<Exception> action, String what) {
        try {
            mailbox.execute(action, what);
        } catch (RejectedExecutionException e) {
            LOG.debug("the task is closing and needs no word of: {}", what);
        }
    }

    /** Does what asks the device for work, on this thread. */
    private void onDevice(ThrowingRunnable<Exception> work) throws Exception {
        try {
            work.run();
        } catch (Exception e) {
            throw exception(UnrecoverableFailures.told(e));
        }
    }

    /** A slot is free. */
    private void batchTrained() throws Exception {
        if (trainer != null) { // else closed meanwhile
            onDevice(open(rows)::trained);
        }
    }

    private void show() {
        open(rows).show(shown);
        shown.slotWaitNanos = slotWaitNanos;
        shown.task = counters();
    }

    private void trainerFailed(Throwable cause) throws Exception {
        failure = cause;
        rethrow();
    }

    private void rethrow() throws Exception {
        Throwable cause = failure;
        if (cause != null) {
            throw exception(UnrecoverableFailures.told(cause));
        }
    }

    private static Exception exception(Throwable thrown) {
        ExceptionUtils.rethrowIfFatalErrorOrOOM(thrown);
        return thrown instanceof Exception exception ? exception : new IllegalStateException(thrown);
    }

    /** Lets the trainer finish what is whole, so that a checkpoint holds no batch in training. */
    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        long began = System.nanoTime();
        if (replicas == null) {
            drain();
        } else {
            pause(replicas, checkpointId);
        }
        long ended = System.nanoTime();
        drainNanos = ended - began;
        Track track = Trace.track();
        if (track != null) {
            track.addRare("checkpoint: train on what is whole", began, ended);
        }
    }

    /** With replicas all stop behind the same batch; what is whole beyond it waits, and is part of the checkpoint. */
    private void pause(ReplicaBarrier others, long checkpointId) throws Exception {
        open(trainer).pause(checkpointId);
        while (failure == null && !others.isPausedFor(checkpointId)) {
            mailbox.yield();
        }
        rethrow();
    }

    private void resume(long checkpointId) {
        if (replicas != null) {
            replicas.resumed(checkpointId);
            if (trainer != null) {
                trainer.resume(checkpointId);
            }
        }
    }

    private void drain() throws Exception {
        while (failure == null && open(rows).isInTraining()) {
            mailbox.yield();
        }
        rethrow();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        long began = System.nanoTime();
        Future<TrainerSnapshot> asked = open(trainer).copy();
        List<byte[]> waiting = open(rows).waiting();
        TrainerSnapshot part = await(asked);
        ModelState model = copies.keep(context.getCheckpointId(), part.model());
        List<byte[]> bad = open(rows).quarantine().pieces();
        long ended = System.nanoTime();
        cost = cost.plus(model.bytes() + bytes(waiting) + bytes(bad), drainNanos, ended - began);
        Track track = Trace.track();
        if (track != null) {
            track.addRare("checkpoint: take the state", began, ended);
        }
        Progress progress = Progress.of(spec.plan(), Path.of(spec.folder()), task(), part);
        TrainStates lists = open(states);
        lists.put(new RestoredState(progress, bad, waiting, model.chunks()));
        // When this mail is read, Flink has taken what it writes.
        mail(lists::clear, "forget the state that was handed over");
        resume(context.getCheckpointId());
        show();
    }

    /** Blocks the task's thread, while the trainer has nothing else to do. */
    private static <T> T await(Future<T> asked) throws Exception {
        try {
            return asked.get();
        } catch (ExecutionException e) {
            throw exception(UnrecoverableFailures.told(ExceptionUtils.stripExecutionException(e)));
        }
    }

    private static long bytes(List<byte[]> pieces) {
        return pieces.stream().mapToLong(piece -> piece.length).sum();
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        copies.release(checkpointId);
        open(rows).quarantine().write();
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        super.notifyCheckpointAborted(checkpointId);
        resume(checkpointId);
        copies.release(checkpointId);
    }

    private TaskProgress task() {
        RowIntake intake = open(rows);
        QuarantineLog log = intake.quarantine();
        return new TaskProgress(intake.oldest(), restarts.earlier(), counters(), log.pieces());
    }

    private TaskCounters counters() {
        RowIntake intake = open(rows);
        QuarantineLog log = intake.quarantine();
        return new TaskCounters(log.distinct(), log.rows(), intake.nanos(), restarts.all(), cost);
    }

    @Override
    public void endInput() throws Exception {
        drain();
        open(rows).requireAll(plan);
        Future<TrainReport> done = open(trainer).finish(TrainingOutcome.FINISHED, task());
        while (failure == null && !done.isDone()) {
            mailbox.yield();
        }
        rethrow();
        ended = true;
    }

    @Override
    public void close() throws Exception {
        TrainerThread thread = trainer;
        trainer = null;
        try {
            if (thread != null) {
                end(thread);
            }
        } finally {
            copies.close();
            if (replicas != null) {
                replicas.close();
            }
            try (Handles left = new Handles()) {
                if (share != null) {
                    left.add(share);
                }
                if (device != null) {
                    left.add(device);
                }
                if (rows != null) {
                    left.add(rows);
                }
            } finally {
                super.close();
            }
        }
    }

    private void end(TrainerThread thread) throws Exception {
        boolean givenUp = failure != null
                || getContainingTask().isCanceled()
                || getContainingTask().isFailing();
        TrainReport done;
        if (replicas != null) {
            replicas.close(); // ends the trainer's wait for the others
        }
        try {
            if (!ended && !givenUp) {
                await(thread.finish(TrainingOutcome.STOPPED, task()));
            }
        } finally {
            done = thread.stop();
        }
        if (!givenUp || failure != null) {
            open(rows).quarantine().write();
        }
        if (done != null) {
            TrainReport whole = done.withTask(counters(), device == null ? null : device.figures(slotWaitNanos));
            ReportAccumulator report = new ReportAccumulator();
            report.add(new TrainReports(List.of(new TrainReports.Ranked(rank, whole))));
            getRuntimeContext().addAccumulator(TrainReport.ACCUMULATOR, report);
            // A task that others brought down begins anew: its run has not ended. They tell, if they live.
            boolean broughtDown = failure == null
                    ? givenUp
                    : ExceptionUtils.findThrowable(failure, RankGoneException.class)
                            .isPresent();
            if (!broughtDown) {
                spec.target().ended(rank, whole, failure);
            }
        }
    }

    private static <T> T open(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("the training operator is not open");
        }
        return value;
    }
}
