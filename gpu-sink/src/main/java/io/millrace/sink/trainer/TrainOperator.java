package io.millrace.sink.trainer;

import io.millrace.batch.MicroBatch;
import io.millrace.device.SuspectedMemoryException;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.files.StateRefusedException;
import io.millrace.sink.progress.RestoredState;
import io.millrace.sink.progress.SavedRun;
import io.millrace.sink.rows.BatchRing;
import io.millrace.sink.rows.RowIntake;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.task.SinkOperator;
import io.millrace.sink.task.UnrecoverableFailures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.jspecify.annotations.Nullable;

/**
 * The training operator. It passes micro-batches to the {@link RankTraining} of its rank, and takes part in Flink's
 * checkpoints.
 *
 * <p>{@link RowIntake} and {@link BatchRing} assemble batches from rows. {@link BackPressure} holds back the input,
 * {@link TrainerThread} trains, {@link TrainCheckpoints} copies the state, {@link ReplicaBarrier} keeps replicas in
 * step, and {@link TrainingEnd} writes the model and reports. The operator emits nothing; its {@link TrainReport} goes
 * to the client as an accumulator.
 */
public final class TrainOperator extends SinkOperator {
    private static final long serialVersionUID = 1;

    /** The name of the external resource, and of its property with the GPU's number, in Flink's plugin for GPUs. */
    private static final String GPU = "gpu";

    private static final String GPU_INDEX = "index";

    private final transient @Nullable OperatorEventGateway coordinator;

    private transient @Nullable TrainStates states;
    private transient @Nullable RestoredState restored;
    private transient @Nullable RankTraining training;

    /** Creates the operator of a trainer that has a model of its own. */
    TrainOperator(StreamOperatorParameters<Void> parameters, SinkSpec spec, MailboxExecutor mailbox) {
        this(parameters, spec, mailbox, null);
    }

    /**
     * Creates the operator of a trainer.
     *
     * @param coordinator the gateway to the coordinator, which distributes the ranks' addresses; null when this rank
     *     has a model of its own
     */
    TrainOperator(
            StreamOperatorParameters<Void> parameters,
            SinkSpec spec,
            MailboxExecutor mailbox,
            @Nullable OperatorEventGateway coordinator) {
        super(parameters, spec, mailbox);
        this.coordinator = coordinator;
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
                        "the checkpoint has no state of this trainer: resume with the same number of trainers");
            }
            if (restored == null && spec().start().state() != null) {
                restored = SavedRun.read(Path.of(spec().start().state())).restored();
            }
        } catch (Exception e) {
            throw UnrecoverableFailures.translateAtStart(e);
        }
    }

    @Override
    protected void begin(int attempt) throws Exception {
        long firstBatch = restored == null ? 0 : restored.progress().nextBatch();
        MemorySuspicions suspicions = new MemorySuspicions(
                Path.of(spec().run().folder()),
                getRuntimeContext().getJobInfo().getJobId().toHexString());
        try {
            requireAllRanks(getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks());
            RankTraining opened =
                    RankTraining.open(spec(), rank(), mailbox(), gpus(), firstBatch, devices -> getRuntimeContext()
                            .addAccumulator(TrainingDevice.ACCUMULATOR, devices));
            training = opened;
            mailbox().judge(failure -> opened.judge(failure, suspicions));
            TaskFigures figures = opened.restore(attempt, restored);
            opened.register(getMetricGroup());
            ReplicaBarrier replicas = announce();
            opened.start(figures, restored, replicas);
            if (replicas != null) {
                awaitAddresses(replicas);
            }
        } catch (SuspectedMemoryException e) {
            throw suspicions.judge(e, firstBatch, null);
        } finally {
            restored = null; // the rows have been copied to their batches
        }
    }

    private void requireAllRanks(int subtasks) {
        if (subtasks != spec().train().trainers().count()) {
            throw new IllegalStateException("the run has "
                    + spec().train().trainers().count()
                    + " trainers (ranks), but the training operator has " + subtasks
                    + (subtasks == 1 ? " slot" : " slots")
                    + ": every rank needs a slot. Add slots or TaskManagers, or set"
                    + " fewer ranks");
        }
    }

    /** Returns the numbers of the GPUs that Flink's plugin assigned to this task. */
    private List<String> gpus() {
        return getRuntimeContext().getExternalResourceInfos(GPU).stream()
                .flatMap(gpu -> gpu.getProperty(GPU_INDEX).stream())
                .sorted()
                .toList();
    }

    /** Opens this rank's address for its replicas and sends it to the coordinator; null without replicas. */
    private @Nullable ReplicaBarrier announce() throws IOException {
        return coordinator == null
                ? null
                : ReplicaBarrier.open(
                        rank(), getContainingTask().getEnvironment().getTaskManagerInfo(), coordinator);
    }

    /**
     * Waits for the addresses of all ranks before the first row. Later, this operator may wait within a row or at a
     * barrier for its trainer, and its trainer for the other ranks. Flink would not deliver the addresses during that
     * wait.
     */
    private void awaitAddresses(ReplicaBarrier replicas) throws Exception {
        mailbox()
                .waitUntil(
                        getContainingTask().getMailboxExecutorFactory().createExecutor(TaskMailbox.MIN_PRIORITY),
                        replicas::hasAddresses);
    }

    /** Receives the coordinator's event, on the task's thread. */
    void handle(OperatorEvent event) {
        if (event instanceof RankCoordinator.AddressesEvent all && training != null) {
            training.setAddresses(all.addresses());
        }
    }

    @Override
    public void processElement(StreamRecord<MicroBatch> element) throws Exception {
        training().accept(element.getValue());
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        training().checkpoints().prepare(checkpointId);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        TrainStates lists = states;
        if (lists == null) {
            throw new IllegalStateException("the training operator has no state yet");
        }
        lists.put(training().checkpoints().copy(context.getCheckpointId()));
        // When the mailbox runs this action, Flink has references to all elements that it writes.
        mailbox().execute(lists::clear, "clear the state that was handed over");
        training().checkpoints().resume(context.getCheckpointId());
        training().publish();
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        training().checkpoints().release(checkpointId);
        training().writeQuarantine();
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        super.notifyCheckpointAborted(checkpointId);
        training().checkpoints().resume(checkpointId);
        training().checkpoints().release(checkpointId);
    }

    @Override
    public void endInput() throws Exception {
        training().finish();
    }

    @Override
    protected void end(boolean early) throws Exception {
        RankTraining open = training;
        if (open != null) {
            open.close(early, trained -> report(trained, early));
        }
    }

    private RankTraining training() {
        RankTraining open = training;
        if (open == null) {
            throw new IllegalStateException("the training operator is not open");
        }
        return open;
    }
}
