package io.millrace.sink.deliver;

import io.millrace.order.BatchPlan;
import io.millrace.serve.Refusal;
import io.millrace.serve.ServeSpec;
import io.millrace.source.SeekBoard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationRequestHandler;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.CoordinatorStore;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coordinator of the sinks of a served run. It passes what the clients ask for to {@link RankAgreement}, and the
 * agreements to the readers and the sinks. The coordinator of a training also prepares the evaluation in the same job, and ends it.
 * Flink's main thread calls it. It has no state in checkpoints: after a failure the
 * clients connect again and say which step they need.
 */
final class DeliverCoordinator implements OperatorCoordinator, CoordinationRequestHandler {
    private static final Logger LOG = LoggerFactory.getLogger(DeliverCoordinator.class);

    private final Map<Integer, SubtaskGateway> gateways = new TreeMap<>();
    private final ServeSpec serve;
    private final BatchPlan plan;
    private final CoordinatorStore others;
    private final SeekBoard board;
    private final RankAgreement agreement;
    private final TransformsAgreement transforms = new TransformsAgreement();

    /** The ranks whose clients have waited for other ranks since the ranks have agreed last. */
    private final Set<Integer> waiting = new TreeSet<>();

    /** The reports of a run that is stopped; null before. */
    private @Nullable StopReports stopping;

    /**
     * Creates the coordinator of a delivery.
     *
     * @param others where the coordinators of a job meet
     */
    DeliverCoordinator(ServeSpec serve, BatchPlan plan, CoordinatorStore others) {
        this.serve = serve;
        this.plan = plan;
        this.others = others;
        this.board = SeekBoard.open(serve.run());
        this.agreement = new RankAgreement(serve.world(), board.generation() + 1, new Sending());
    }

    private final class Sending implements AgreementEffects {
        @Override
        public void seek(long generation, long step) {
            board.seek(
                    generation,
                    step == plan.batches() ? plan.positions() : plan.batch(step).firstPosition());
        }

        @Override
        public void flush(int rank, long generation, long step, long request) {
            send(rank, new DeliverEvents.Flush(generation, step, request));
        }

        @Override
        public void prepare(int rank, long generation) {
            send(rank, new DeliverEvents.Prepare(generation));
        }

        @Override
        public void locate(int rank) {
            send(rank, new DeliverEvents.Locate());
        }

        @Override
        public void begin(long generation) {
            endWait("all ranks have agreed");
            board.begin(generation);
        }

        @Override
        public void finish() {
            finishRun();
        }

        @Override
        public void report(int rank, @Nullable String reason) {
            if (reason != null && waiting.add(rank) && waiting.size() == 1) {
                LOG.info("rank {} waits for {}", rank, reason);
            }
            send(rank, new DeliverEvents.Report(reason == null ? board.awaits() : reason));
        }

        @Override
        public void disagree(int rank, String reason, long request) {
            refuse(rank, new DeliverEvents.Refuse(Refusal.Code.RANKS_DISAGREE, reason, request));
        }
    }

    private void refuse(int rank, DeliverEvents.Refuse refusal) {
        LOG.warn("the client of rank {} is refused: {}", rank, refusal.reason());
        send(rank, refusal);
    }

    /** Logs the end of a wait, with the ranks that have waited since the log has its beginning. */
    private void endWait(String because) {
        if (!waiting.isEmpty()) {
            LOG.info("the wait of the ranks {} has ended: {}", waiting, because);
            waiting.clear();
        }
    }

    private void send(int rank, OperatorEvent event) {
        SubtaskGateway gateway = gateways.get(rank);
        if (gateway != null) { // a sink that has failed has no client any more
            var unused = gateway.sendEvent(event); // if the event does not arrive, Flink fails that subtask
        }
    }

    @Override
    public void start() {
        others.putIfAbsent(serve.run(), this);
    }

    /** Returns the coordinator of the evaluation in the same job. */
    private Optional<DeliverCoordinator> evaluation() {
        ServeSpec.Evaluation found = serve.evaluation();
        return found != null && others.get(found.run()) instanceof DeliverCoordinator other
                ? Optional.of(other)
                : Optional.empty();
    }

    /** Ends the run, and the evaluation with it. */
    private void finishRun() {
        board.finish();
        evaluation().ifPresent(other -> {
            var unused = other.stop(); // its sinks report nothing that anybody waits for
        });
    }

    /**
     * Lets the sinks that run end their connections and report the run. When all have, the source ends.
     *
     * @return the answer when all have
     */
    private CompletableFuture<CoordinationResponse> stop() {
        StopReports reports = new StopReports(gateways.keySet());
        stopping = reports;
        var unused = reports.answer().thenAccept(answer -> finishRun());
        gateways.keySet().forEach(rank -> send(rank, new DeliverEvents.Stop()));
        return reports.answer();
    }

    @Override
    public void handleEventFromOperator(int rank, int attempt, OperatorEvent event) {
        if (event instanceof DeliverEvents.Ask ask) {
            Optional<String> refusal = transforms.join(rank, ask.request().client(), ask.transforms());
            if (refusal.isPresent()) {
                refuse(
                        rank,
                        new DeliverEvents.Refuse(
                                Refusal.Code.TRANSFORMS,
                                refusal.get(),
                                ask.request().number()));
            } else {
                agreement.ask(rank, ask.request());
            }
        } else if (event instanceof DeliverEvents.Connected connected) {
            agreement.connected(rank, connected.client());
        } else if (event instanceof DeliverEvents.Located located) {
            agreement.located(rank, located.place());
        } else if (event instanceof DeliverEvents.Flushed flushed) {
            agreement.flushed(rank, flushed.generation());
        } else if (event instanceof DeliverEvents.EvaluationNears) {
            evaluation().ifPresent(DeliverCoordinator::prepare);
        } else if (event instanceof DeliverEvents.Failed) {
            gateways.keySet().stream().filter(other -> other != rank).forEach(other -> send(other, event));
        } else if (event instanceof DeliverEvents.Waits) {
            agreement.waits(rank);
        } else if (event instanceof DeliverEvents.Gone) {
            leave(rank);
        } else if (event instanceof DeliverEvents.Done) {
            transforms.leave(rank);
            agreement.done(rank);
        } else if (event instanceof DeliverEvents.Stopped stopped) {
            stopped(rank, stopped.problem());
        } else {
            throw new IllegalStateException("the sink of rank " + rank + " sent " + event);
        }
    }

    /** Lets the first rows wait in the sinks. Without all sinks, they are read only when clients ask for them. */
    private void prepare() {
        if (gateways.size() == serve.world()) {
            agreement.prepare();
        }
    }

    @Override
    public CompletableFuture<CoordinationResponse> handleCoordinationRequest(CoordinationRequest request) {
        if (!(request instanceof DeliverEvents.StopRequest)) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("unknown request: " + request));
        }
        return stop();
    }

    private void stopped(int rank, @Nullable String problem) {
        if (stopping != null) {
            stopping.stopped(rank, problem);
        }
    }

    @Override
    public void executionAttemptReady(int rank, int attempt, SubtaskGateway gateway) {
        gateways.put(rank, gateway);
    }

    @Override
    public void executionAttemptFailed(int rank, int attempt, @Nullable Throwable reason) {
        forget(rank);
    }

    @Override
    public void subtaskReset(int rank, long checkpointId) {
        forget(rank);
    }

    private void forget(int rank) {
        gateways.remove(rank);
        stopped(rank, "its sink has failed");
        agreement.lost();
        leave(rank);
    }

    private void leave(int rank) {
        transforms.leave(rank);
        agreement.gone(rank);
        if (waiting.equals(Set.of(rank))) {
            endWait("the client has gone");
        } else {
            waiting.remove(rank);
        }
    }

    @Override
    public void checkpointCoordinator(long checkpointId, CompletableFuture<byte[]> result) {
        result.complete(new byte[0]);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {}

    @Override
    public void resetToCheckpoint(long checkpointId, byte @Nullable [] data) {
        gateways.clear();
        agreement.lost();
    }

    @Override
    public void close() {
        board.close();
    }

    /** The wait of a coordinator for the reports of all sinks of a run that is stopped. Flink's main thread calls it. */
    static final class StopReports {
        private final CompletableFuture<CoordinationResponse> answer = new CompletableFuture<>();
        private final List<String> problems = new ArrayList<>();
        private final Set<Integer> awaited;
        private final int sinks;

        /** Begins to wait for the sinks of these ranks. */
        StopReports(Set<Integer> ranks) {
            this.awaited = new TreeSet<>(ranks);
            this.sinks = ranks.size();
            answerIfComplete();
        }

        /** Returns the answer to the request. Callers get a copy, which they may complete. */
        CompletableFuture<CoordinationResponse> answer() {
            return answer.copy();
        }

        /**
         * Records that a sink has ended its connection.
         *
         * @param problem the reason why it could not report the run; null when it has reported it
         */
        void stopped(int rank, @Nullable String problem) {
            if (awaited.remove(rank) && problem != null) {
                problems.add("rank " + rank + ": " + problem);
            }
            answerIfComplete();
        }

        private void answerIfComplete() {
            if (awaited.isEmpty()) {
                answer.complete(new DeliverEvents.StopAnswer(sinks, problems));
            }
        }
    }
}
