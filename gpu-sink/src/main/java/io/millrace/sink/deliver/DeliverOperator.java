package io.millrace.sink.deliver;

import io.millrace.batch.MicroBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.serve.ListenAddress;
import io.millrace.serve.Machine;
import io.millrace.serve.ServeEndpoints;
import io.millrace.serve.ServeSpec;
import io.millrace.serve.SinkPlace;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.sink.rows.SimulatedWireOperator;
import io.millrace.sink.spec.SinkAddress;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.task.SinkOperator;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
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
public final class DeliverOperator extends SinkOperator {
    private static final long serialVersionUID = 1;

    /** The interval at which a client that waits hears why. */
    private static final Duration WAIT_INTERVAL = Duration.ofSeconds(5);

    private final transient ServeSpec serve;
    private final transient OperatorEventGateway coordinator;

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
        super(parameters, spec, view(parameters, serve, mailbox));
        this.serve = serve;
        this.coordinator = coordinator;
    }

    /**
     * Returns the view of the task's mailbox. With the lowest priority, the coordinator's events arrive while a row waits for the
     * client or other ranks. In a task with earlier stages, their actions would run in the middle of a row, too. So there a single
     * rank, which does not wait for others, hears of a stop only after its row. The rows of an evaluation may wait for ever, so
     * its sink hears of events meanwhile. The only earlier stage in its task can be {@link SimulatedWireOperator}, which has no
     * actions.
     */
    private static MailboxExecutor view(
            StreamOperatorParameters<Void> parameters, ServeSpec serve, MailboxExecutor mailbox) {
        boolean alone = parameters.getStreamConfig().isChainStart();
        return alone || serve.world() > 1 || serve.stream() == ServeSpec.Stream.EVALUATION
                ? parameters.getContainingTask().getMailboxExecutorFactory().createExecutor(TaskMailbox.MIN_PRIORITY)
                : mailbox;
    }

    @Override
    protected void begin(int attempt) throws Exception {
        TrainerMetrics metrics = new TrainerMetrics();
        if (serve.stream() == ServeSpec.Stream.TRAINING) {
            metrics.register(
                    getMetricGroup(), spec().run().shares()); // steps of an evaluation do not count as steps of the run
        }
        DeliveredSteps steps = DeliveredSteps.open(
                spec(), serve.run(), spec().train().trainers().plan(rank()), metrics, attempt);
        Handles onFailure = new Handles();
        onFailure.add(steps);
        Delivery opened = onFailure.closeOnFailure(
                () -> new Delivery(spec(), serve, rank(), mailbox(), coordinator, steps)); // owns the steps from now on
        delivery = opened;
        endpoint = ServeEndpoints.lease(serve, this::address);
        endpoint.endpoint().join(rank(), opened);
        getRuntimeContext()
                .addAccumulator(
                        ServeAddresses.accumulator(serve.stream()),
                        ServeAddresses.of(
                                rank(), new SinkPlace(endpoint.endpoint().addresses(), Machine.here())));
        timer = getProcessingTimeService()
                .scheduleAtFixedRate(now -> opened.remind(), WAIT_INTERVAL.toMillis(), WAIT_INTERVAL.toMillis());
        opened.resume();
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
            end(false);
            return null;
        } catch (Exception e) {
            LOG.warn("rank {} could not report the run, which is stopped", rank(), e);
            return ClientSeat.sentence(e);
        }
    }

    @Override
    public void processElement(StreamRecord<MicroBatch> element) throws Exception {
        try {
            delivery().accept(element.getValue());
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            if (serve.stream() == ServeSpec.Stream.EVALUATION
                    && getContainingTask().isCanceled()) {
                throw e; // the end of the wait for a client
            }
            delivery().fail(e);
        }
    }

    /** Receives the number of a generation, before which all rows have arrived. */
    @Override
    public void processWatermark(Watermark watermark) {
        delivery().passed(watermark.getTimestamp());
    }

    @Override
    public void endInput() throws Exception {
        delivery().save();
    }

    /** Ends the delivery and reports the run, unless it has ended before. */
    @Override
    protected void end(boolean early) throws Exception {
        Delivery open = delivery;
        if (open == null || ended) {
            return;
        }
        ended = true;
        if (timer != null) {
            timer.cancel(false);
        }
        try (ServeEndpoints.Lease leased = endpoint) {
            if (leased != null) {
                leased.endpoint().leave(rank(), open);
            }
            TrainReport report = open.close();
            if (serve.stream() == ServeSpec.Stream.TRAINING) {
                report(report, early);
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
