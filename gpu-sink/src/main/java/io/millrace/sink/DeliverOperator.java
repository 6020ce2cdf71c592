package io.millrace.sink;

import io.millrace.batch.MicroBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.metrics.RecordedTask;
import io.millrace.serve.ListenAddress;
import io.millrace.serve.Machine;
import io.millrace.serve.ServeEndpoints;
import io.millrace.serve.ServeSpec;
import io.millrace.serve.SinkPlace;
import io.millrace.sink.files.UnwritableException;
import io.millrace.trace.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.jspecify.annotations.Nullable;

/**
 * The operator that delivers the batches of one rank to a client in another process. It stands in the place of the training
 * operator, and reports the training of the client's loop with the same figures.
 *
 * <p>{@link Delivery} holds the client's place in the run. The operator has no state in checkpoints, because the client alone
 * knows which step it needs next. Watermarks are the numbers of generations: when one arrives, all rows of earlier generations
 * have arrived.
 */
public final class DeliverOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<MicroBatch, Void>, BoundedOneInput {
    private static final long serialVersionUID = 1;

    /** The interval at which a client that waits hears why. */
    private static final Duration WAIT_INTERVAL = Duration.ofSeconds(5);

    private final transient SinkSpec spec;
    private final transient ServeSpec serve;
    private final transient int rank;
    private final transient TrainerMailbox mailbox;
    private final transient OperatorEventGateway coordinator;

    private transient Trace.@Nullable Share share;
    private transient @Nullable Delivery delivery;
    private transient ServeEndpoints.@Nullable Lease endpoint;
    private transient @Nullable ScheduledFuture<?> timer;

    /** Whether the delivery has ended and the run was reported. */
    private transient boolean ended;

    DeliverOperator(
            StreamOperatorParameters<Void> parameters,
            SinkSpec spec,
            ServeSpec serve,
            MailboxExecutor mailbox,
            OperatorEventGateway coordinator) {
        super(parameters);
        this.rank =
                parameters.getContainingTask().getEnvironment().getTaskInfo().getIndexOfThisSubtask();
        this.spec = spec.forRank(rank);
        this.serve = serve;
        // With the lowest priority, the coordinator's events arrive while a row waits for the client or other ranks.
        // In a task with earlier stages, their actions would run in the middle of a row, too. So there a single rank,
        // which does not wait for others, hears of a stop only after its row.
        boolean alone = parameters.getStreamConfig().isChainStart();
        this.mailbox = new TrainerMailbox(
                alone || serve.world() > 1
                        ? parameters
                                .getContainingTask()
                                .getMailboxExecutorFactory()
                                .createExecutor(TaskMailbox.MIN_PRIORITY)
                        : mailbox);
        this.coordinator = coordinator;
    }

    @Override
    public void open() throws Exception {
        super.open();
        share = RecordedTask.join(getMetricGroup(), spec.observers().recording());
        try {
            Path folder = Path.of(spec.run().folder());
            try {
                Files.createDirectories(folder);
            } catch (IOException e) {
                throw new UnwritableException(folder, e);
            }
            TrainerMetrics metrics = new TrainerMetrics();
            metrics.register(getMetricGroup());
            int attempt = getRuntimeContext().getTaskInfo().getAttemptNumber();
            DeliveredSteps steps = DeliveredSteps.open(
                    spec, serve.run(), spec.train().trainers().plan(rank), metrics, attempt);
            Handles onFailure = new Handles();
            onFailure.add(steps);
            Delivery opened = onFailure.closeOnFailure(
                    () -> new Delivery(spec, serve, rank, mailbox, coordinator, steps)); // owns the steps from now on
            delivery = opened;
            endpoint = ServeEndpoints.lease(serve, this::address);
            endpoint.endpoint().join(rank, opened);
            getRuntimeContext()
                    .addAccumulator(
                            ServeAddresses.ACCUMULATOR,
                            ServeAddresses.of(
                                    rank, new SinkPlace(endpoint.endpoint().addresses(), Machine.here())));
            timer = getProcessingTimeService()
                    .scheduleAtFixedRate(now -> opened.remind(), WAIT_INTERVAL.toMillis(), WAIT_INTERVAL.toMillis());
            opened.resume();
        } catch (Exception e) {
            throw UnrecoverableFailures.translateAtStart(e);
        }
    }

    private ListenAddress address() throws IOException {
        TaskManagerRuntimeInfo manager = getContainingTask().getEnvironment().getTaskManagerInfo();
        return SinkAddress.of(serve.network(), manager.getTaskManagerExternalAddress(), manager.getConfiguration());
    }

    /** Receives the coordinator's event, on the task's thread. */
    void handle(OperatorEvent event) {
        if (event instanceof DeliverEvents.Stop) {
            coordinator.sendEventToCoordinator(new DeliverEvents.Stopped(stop()));
        } else {
            delivery().handle(event);
        }
    }

    /**
     * Ends the delivery of a run that is stopped. Rows are dropped from now on.
     *
     * @return the reason why the run could not be reported; null when it was reported
     */
    private @Nullable String stop() {
        try {
            end(delivery(), false);
            return null;
        } catch (Exception e) {
            LOG.warn("rank {} could not report the run, which is stopped", rank, e);
            return e.getMessage() == null ? e.toString() : e.getMessage();
        }
    }

    @Override
    public void processElement(StreamRecord<MicroBatch> element) throws Exception {
        try {
            delivery().accept(element.getValue());
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            mailbox.fail(e);
        }
    }

    /** Receives the number of a generation, before which all rows have arrived. */
    @Override
    public void processWatermark(Watermark watermark) {
        delivery().passed(watermark.getTimestamp());
    }

    @Override
    public void endInput() throws Exception {
        delivery().quarantine().write();
    }

    @Override
    public void close() throws Exception {
        boolean early = getContainingTask().isCanceled() || getContainingTask().isFailing();
        try {
            Delivery open = delivery;
            if (open != null) {
                end(open, early);
            }
        } catch (Exception e) {
            UnrecoverableFailures.whileClosing(e, early);
        } finally {
            try {
                if (share != null) {
                    share.close();
                }
            } finally {
                super.close();
            }
        }
    }

    /**
     * Ends the delivery and reports the run, unless it has ended before.
     *
     * @param cancelled whether Flink ends the task early, and perhaps starts it again
     */
    private void end(Delivery open, boolean cancelled) throws Exception {
        if (ended) {
            return;
        }
        ended = true;
        if (timer != null) {
            timer.cancel(false);
        }
        ServeEndpoints.Lease leased = endpoint;
        if (leased != null) {
            leased.endpoint().leave(rank, open);
        }
        try {
            TrainReport report = open.close();
            ReportAccumulator accumulated = new ReportAccumulator();
            accumulated.add(new TrainReports(List.of(new TrainReports.Ranked(rank, report))));
            getRuntimeContext().addAccumulator(TrainReport.ACCUMULATOR, accumulated);
            if (!TrainingEnd.isEndedByOthers(cancelled, mailbox.failure())) {
                spec.observers().target().ended(rank, report, mailbox.failure());
            }
        } finally {
            if (leased != null) {
                leased.close();
            }
        }
    }

    private Delivery delivery() {
        Delivery open = delivery;
        if (open == null) {
            throw new IllegalStateException("the operator is not open");
        }
        return open;
    }
}
