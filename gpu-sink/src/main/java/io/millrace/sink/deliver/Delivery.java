package io.millrace.sink.deliver;

import io.millrace.batch.MicroBatch;
import io.millrace.order.RankPlan;
import io.millrace.serve.Client;
import io.millrace.serve.ClientBuffers;
import io.millrace.serve.Join;
import io.millrace.serve.MemoryLoss;
import io.millrace.serve.MessageType;
import io.millrace.serve.Refusal;
import io.millrace.serve.Reminder;
import io.millrace.serve.ServeEndpoint;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.files.QuarantineLog;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.task.TrainerMailbox;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.util.function.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The delivery of one rank's batches to its client. Rows that arrive are put into the client's buffers, and complete batches are
 * sent in order. While there is no free buffer, the task waits, and so does everything upstream.
 *
 * <p>Only the client knows which step it needs. When the ranks agree ({@link RankAgreement}), all rows are dropped until those
 * of the new generation begin ({@link RowGate}). While there is no client, rows wait. Except for {@link #accept(Client)}, only
 * the task's thread calls the methods.
 */
final class Delivery implements ServeEndpoint.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);

    private final SinkSpec spec;
    private final ServeSpec serve;
    private final int rank;
    private final RankPlan plan;
    private final TrainerMailbox mailbox;
    private final OperatorEventGateway coordinator;
    private final DeliveredSteps steps;
    private final QuarantineLog quarantine;

    /** The plan for clients that apply the device transforms themselves. */
    private final ServedPlan untransformed;

    private final ClientSeat seat;

    private final RowGate gate;

    /** The rhythm of the evaluation in the same job; null if there is none, or another rank observes it. */
    private final @Nullable EvaluationRhythm rhythm;

    private final Reminder reminder = new Reminder();

    Delivery(
            SinkSpec spec,
            ServeSpec serve,
            int rank,
            TrainerMailbox mailbox,
            OperatorEventGateway coordinator,
            DeliveredSteps steps)
            throws IOException {
        this.spec = spec;
        this.serve = serve;
        this.rank = rank;
        this.plan = spec.train().trainers().plan(rank);
        this.mailbox = mailbox;
        this.coordinator = coordinator;
        this.steps = steps;
        this.gate = new RowGate(serve.world());
        this.seat = new ClientSeat("rank " + rank + " of " + serve.world());
        this.rhythm = EvaluationRhythm.observed(serve, rank, spec.run().plan());
        this.quarantine = new QuarantineLog(
                Path.of(spec.run().folder()),
                spec.run().maxQuarantined(),
                spec.run().sources().size(),
                spec.run().sources());
        this.untransformed = ServedPlan.of(serve, spec, rank, plan.batch(), Join.Transforms.CLIENT);
        if (steps.isResumed()) {
            quarantine.resume();
        }
        quarantine.write();
    }

    /** Continues without a client if this rank needed no more batches before Flink restarted the job. */
    void resume() {
        if (steps.isDone()) {
            end();
        }
    }

    private void end() {
        gate.end();
        coordinator.sendEventToCoordinator(new DeliverEvents.Done());
    }

    /** Accepts a client if this rank has none. A thread of the client calls this. */
    @Override
    public Client.Listener accept(Client client) throws IOException {
        untransformed.require(client.join().fingerprint());
        Join.Transforms side = client.join().appliedBy();
        ServedPlan served =
                side == untransformed.side() ? untransformed : ServedPlan.of(serve, spec, rank, plan.batch(), side);
        ClientSession session = new ClientSession(this, client, served);
        seat.take(session);
        LOG.info("rank {} delivers to {}", rank, client.describe());
        DeliverEvents.Connected news = new DeliverEvents.Connected(client.describe());
        execute(session, () -> coordinator.sendEventToCoordinator(news), "report a client");
        client.send(MessageType.PLAN, served.message());
        return session;
    }

    SinkSpec spec() {
        return spec;
    }

    RankPlan plan() {
        return plan;
    }

    /** Runs an action of a client's session on the task's thread, unless the session has ended meanwhile. */
    void execute(ClientSession session, ThrowingRunnable<Exception> action, String description) {
        mailbox.execute(
                () -> {
                    if (seat.current() == session && !seat.isClosed()) {
                        try {
                            use(session, action);
                        } catch (Exception e) {
                            fail(e);
                        }
                    }
                },
                description);
    }

    /** Returns the batches of a client. Takes ownership of the client's buffers. */
    ClientBatches batches(Client client, ClientBuffers buffers, ServedPlan served) {
        return new ClientBatches(client, buffers, served, spec, plan, quarantine, steps, reminder);
    }

    /** Asks the other ranks for the batches from a step on, which the client wants. */
    void ask(ClientSession session, ClientBatches batches, long step, RankAgreement.Origin origin)
            throws UnwritableException {
        if (seat.hasFailed()) {
            return; // it has sent this before it reads that it is refused
        }
        steps.seek(step, origin);
        reminder.forget();
        long request = gate.ask(origin);
        coordinator.sendEventToCoordinator(new DeliverEvents.Ask(
                RankAgreement.Request.ask(session.client().describe(), step, batches.size(), origin, request),
                session.side()));
    }

    /** Ends the task with a failure. That of an evaluation ends the evaluation on all ranks, so that the training goes on. */
    void fail(Exception failure) throws Exception {
        if (serve.stream() == ServeSpec.Stream.TRAINING || failure instanceof InterruptedException) {
            mailbox.fail(failure);
        }
        gate.end();
        coordinator.sendEventToCoordinator(new DeliverEvents.Failed(seat.fail(failure)));
    }

    /** Receives an event of the coordinator. */
    void handle(OperatorEvent event) {
        if (event instanceof DeliverEvents.Failed failed) {
            gate.end();
            seat.refuse(failed.reason());
            return;
        }
        boolean accepts = !seat.isClosed() && !seat.hasFailed();
        if (event instanceof DeliverEvents.Prepare next && accepts && gate.prepare(next.generation())) {
            coordinator.sendEventToCoordinator(new DeliverEvents.Flushed(next.generation()));
        }
        ClientSession session = seat.current();
        ClientBatches batches = batches();
        if (session == null || batches == null) {
            return; // nobody has asked; the coordinator hears of a client that has gone
        }
        if (event instanceof DeliverEvents.Flush flush) {
            if (gate.grant(flush)) {
                batches.rewind(gate.asks() ? flush.step() : batches.next());
                begin();
            }
        } else if (event instanceof DeliverEvents.Locate && !gate.asks()) {
            coordinator.sendEventToCoordinator(new DeliverEvents.Located(batches.place(gate.request())));
        } else if (event instanceof DeliverEvents.Report report) {
            reminder.answer(session.client(), batches.next(), report.reason());
        } else if (event instanceof DeliverEvents.Refuse refuse && refuse.request() == gate.request()) {
            session.client().refuse(new Refusal(refuse.code(), refuse.reason()));
        }
    }

    /** Notes that all rows of generations before this one have arrived. */
    void passed(long generation) {
        if (gate.passed(generation)) {
            coordinator.sendEventToCoordinator(new DeliverEvents.Flushed(gate.prepared()));
        }
        begin();
    }

    private void begin() {
        DeliverEvents.Flush next = gate.begin();
        ClientSession session = seat.current();
        ClientBatches batches = batches();
        if (next == null || session == null || batches == null) {
            return;
        }
        reminder.forget();
        if (gate.answered()) {
            batches.endAt(next.step());
        }
        batches.open();
        execute(session, batches::submitComplete, "send batches without rows"); // they need not wait for any
        coordinator.sendEventToCoordinator(new DeliverEvents.Flushed(next.generation()));
    }

    /** Accepts the rows of a micro-batch. Takes ownership of the micro-batch, even if the call fails. */
    void accept(MicroBatch microBatch) throws Exception {
        try {
            mailbox.waitUntil(() -> gate.isDropping() || (gate.isOpen() && batches() != null));
        } catch (Throwable e) {
            microBatch.close();
            throw e;
        }
        ClientSession session = seat.current();
        ClientBatches receiver = batches();
        if (gate.isDropping() || session == null || receiver == null) {
            microBatch.close();
            return;
        }
        use(session, () -> receiver.accept(microBatch));
        count(seat.current());
        mailbox.waitUntil(() -> !gate.isOpen() || batches() != receiver || !receiver.isFull());
    }

    /** Runs an action that uses the memory of a client. If the client has made its memory shorter, the connection ends. */
    private void use(ClientSession session, ThrowingRunnable<Exception> action) throws Exception {
        IOException lost = MemoryLoss.during(action::run, session::filled, session::requireWholeMemory);
        if (lost != null) {
            session.client().refuse(new Refusal(Refusal.Code.MEMORY, lost.getMessage()));
            session.client().close();
            gone(session, String.valueOf(lost.getMessage()));
        }
    }

    /** Returns the batches of the client that is to receive rows; null while there is none. */
    private @Nullable ClientBatches batches() {
        ClientSession session = seat.current();
        return session == null ? null : session.batches();
    }

    /** Records a step that the client's loop has done. */
    void stepped(ClientSession session, long step, long waitNanos, long busyNanos) throws UnwritableException {
        if (!steps.stepped(step, waitNanos, busyNanos)) {
            session.refuseStep(step, steps.oldest());
        } else if (rhythm != null && rhythm.nears(step, System.nanoTime())) {
            coordinator.sendEventToCoordinator(new DeliverEvents.EvaluationNears());
        }
    }

    /** Ends the delivery to a client that needs no more batches. Before the end of the run, another client may still come. */
    void done(@Nullable ClientBatches batches) throws UnwritableException {
        if (batches != null && batches.isAtEnd()) {
            steps.done();
            end();
        } else {
            coordinator.sendEventToCoordinator(new DeliverEvents.Gone());
        }
    }

    /** Forgets a client whose connection has ended. */
    void gone(ClientSession session, @Nullable String reason) {
        count(session);
        reminder.forget();
        session.close();
        seat.free(session);
        session.released();
        if (!steps.isDone() && !seat.hasFailed()) {
            gate.close();
        }
        if (reason != null) {
            LOG.info(
                    "the client of rank {}, {}, has gone: {}",
                    rank,
                    session.client().describe(),
                    reason);
            if (!steps.isDone()) {
                coordinator.sendEventToCoordinator(new DeliverEvents.Gone());
            }
        }
    }

    /** Tells a client that waits why it waits, and saves the figures. Called at regular times. */
    void remind() throws Exception {
        if (seat.hasFailed()) {
            return;
        }
        ClientSession session = seat.current();
        ClientBatches batches = batches();
        if (session != null && batches != null && steps.allDone() && !batches.isAtEnd()) {
            reminder.ask(session.client(), batches.next());
            coordinator.sendEventToCoordinator(new DeliverEvents.Waits());
        }
        save();
    }

    /** Saves the bad samples and the figures. */
    void save() throws Exception {
        try {
            quarantine.write();
            steps.save();
        } catch (IOException e) {
            if (serve.stream() == ServeSpec.Stream.TRAINING) {
                throw e;
            }
            fail(e);
        }
    }

    private void count(@Nullable ClientSession session) {
        ClientBatches batches = session == null ? null : session.batches();
        if (batches != null) {
            steps.assembled(batches.takeAssembleNanos(), quarantine.distinct());
        }
    }

    /** Ends the connection and returns the report. */
    TrainReport close() throws IOException {
        gate.end(); // rows that arrive before the end of a run that is stopped
        ClientSession session = seat.close();
        count(session);
        try (steps) {
            if (session != null) {
                session.client().close();
                session.close();
                session.released();
            }
            quarantine.write();
            return steps.report(quarantine.distinct());
        }
    }
}
