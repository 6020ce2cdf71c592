package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.order.BatchPlan;
import io.millrace.serve.Join;
import io.millrace.serve.Refusal;
import io.millrace.serve.ServeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.messages.Acknowledge;
import org.apache.flink.runtime.operators.coordination.CoordinatorStoreImpl;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The answers of the coordinator to the sinks of two ranks, and its log. */
class DeliverAnswersTest {
    private static final BatchPlan PLAN = new BatchPlan(20, 4, false, 2, 0, 1);

    private final List<String> log = new ArrayList<>();
    private final List<String> sent = new ArrayList<>();
    private final Logger logger = (Logger) LogManager.getLogger(DeliverCoordinator.class);
    private final Lines lines = new Lines();
    private final CoordinatorStoreImpl store = new CoordinatorStoreImpl();
    private final String run = UUID.randomUUID().toString();
    private final String evaluationRun = UUID.randomUUID().toString();
    private final DeliverCoordinator coordinator = new DeliverCoordinator(
            spec(run, ServeSpec.Stream.TRAINING, new ServeSpec.Evaluation(evaluationRun, 1)), PLAN, store);

    private static ServeSpec spec(String run, ServeSpec.Stream stream, ServeSpec.@Nullable Evaluation evaluation) {
        return new ServeSpec(run, ServeSpec.Network.LOOPBACK, "0".repeat(32), 2, "{}", stream, evaluation);
    }

    /** The lines of the coordinator's log. */
    private final class Lines extends AbstractAppender {
        private Lines() {
            super("lines", null, null, true, Property.EMPTY_ARRAY);
        }

        @Override
        public void append(LogEvent event) {
            log.add(event.getMessage().getFormattedMessage());
        }
    }

    private record Gateway(int rank, List<String> sent) implements OperatorCoordinator.SubtaskGateway {
        @Override
        public CompletableFuture<Acknowledge> sendEvent(OperatorEvent event) {
            sent.add(rank + " " + event);
            return CompletableFuture.completedFuture(Acknowledge.get());
        }

        @Override
        public ExecutionAttemptID getExecution() {
            return ExecutionAttemptID.randomId();
        }

        @Override
        public int getSubtask() {
            return rank;
        }
    }

    @BeforeEach
    void open() {
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        lines.start();
        for (int rank = 0; rank < 2; rank++) {
            coordinator.executionAttemptReady(rank, 0, new Gateway(rank, sent));
        }
    }

    @AfterEach
    void close() {
        coordinator.close();
        logger.removeAppender(lines);
        logger.setLevel(null);
    }

    /** Returns the coordinator of the evaluation in the same job, with two sinks. */
    private DeliverCoordinator evaluation(List<String> events) throws Exception {
        DeliverCoordinator evaluation =
                new DeliverCoordinator(spec(evaluationRun, ServeSpec.Stream.EVALUATION, null), PLAN, store);
        evaluation.start();
        for (int rank = 0; rank < 2; rank++) {
            evaluation.executionAttemptReady(rank, 0, new Gateway(rank, events));
        }
        return evaluation;
    }

    @Test
    void theEvaluationIsPreparedWhenTheTrainingNearsItAndEndsWithIt() throws Exception {
        List<String> events = new ArrayList<>();
        DeliverCoordinator evaluation = evaluation(events);
        try {
            send(0, new DeliverEvents.EvaluationNears());
            assertThat(events)
                    .containsExactly("0 " + new DeliverEvents.Prepare(1), "1 " + new DeliverEvents.Prepare(1));
            events.clear();
            send(0, new DeliverEvents.Done());
            assertThat(events).isEmpty();
            send(1, new DeliverEvents.Done());
            assertThat(events).containsExactly("0 " + new DeliverEvents.Stop(), "1 " + new DeliverEvents.Stop());
        } finally {
            evaluation.close();
        }
    }

    @Test
    void theEvaluationEndsWhenTheTrainingIsStopped() throws Exception {
        List<String> events = new ArrayList<>();
        DeliverCoordinator evaluation = evaluation(events);
        try {
            var answer = coordinator.handleCoordinationRequest(new DeliverEvents.StopRequest());
            send(0, new DeliverEvents.Stopped(null));
            assertThat(events).isEmpty();
            send(1, new DeliverEvents.Stopped(null));
            assertThat(answer).isCompletedWithValue(new DeliverEvents.StopAnswer(2, List.of()));
            assertThat(events).containsExactly("0 " + new DeliverEvents.Stop(), "1 " + new DeliverEvents.Stop());
        } finally {
            evaluation.close();
        }
    }

    @Test
    void aTrainingWhoseEvaluationHasNoSinksYetEndsAlone() {
        send(0, new DeliverEvents.EvaluationNears());
        send(0, new DeliverEvents.Done());
        send(1, new DeliverEvents.Done());
        assertThat(sent).isEmpty();
    }

    private void send(int rank, OperatorEvent event) {
        coordinator.handleEventFromOperator(rank, 0, event);
    }

    private void ask(int rank, long step, Join.Transforms side, long number) {
        send(
                rank,
                new DeliverEvents.Ask(
                        RankAgreement.Request.ask("client " + rank, step, 4, RankAgreement.Origin.STARTED, number),
                        side));
    }

    private void waitsForMinutes(int rank) {
        for (int i = 0; i < 24; i++) {
            send(rank, new DeliverEvents.Waits());
        }
    }

    @Test
    void aWaitIsLoggedWhenItBeginsAndWhenItEnds() {
        ask(0, 0, Join.Transforms.CLIENT, 1);
        waitsForMinutes(0);
        assertThat(log).containsExactly("rank 0 waits for rank 1 of 2, which has not connected");
        assertThat(sent).hasSize(24);
        ask(1, 0, Join.Transforms.CLIENT, 1);
        for (int rank = 0; rank < 2; rank++) {
            send(rank, new DeliverEvents.Flushed(1));
        }
        assertThat(log).hasSize(2).last().isEqualTo("the wait of the ranks [0] has ended: all ranks have agreed");
        send(1, new DeliverEvents.Waits());
        for (int rank = 0; rank < 2; rank++) {
            send(
                    rank,
                    new DeliverEvents.Located(
                            new RankAgreement.Request("client " + rank, 3, 3, 4, RankAgreement.Origin.RECEIVING, 1)));
        }
        assertThat(log).as("a batch that is not ready").hasSize(2);
        assertThat(sent).last().isEqualTo("1 " + new DeliverEvents.Report(null));
    }

    @Test
    void theWaitOfAClientEndsWithIt() {
        ask(0, 0, Join.Transforms.CLIENT, 1);
        waitsForMinutes(0);
        send(0, new DeliverEvents.Gone());
        ask(0, 0, Join.Transforms.CLIENT, 2);
        waitsForMinutes(0);
        String begun = "rank 0 waits for rank 1 of 2, which has not connected";
        assertThat(log).containsExactly(begun, "the wait of the ranks [0] has ended: the client has gone", begun);
    }

    @Test
    void refusalsHaveTheNumbersOfTheirRequests() {
        ask(0, 0, Join.Transforms.CLIENT, 3);
        ask(1, 0, Join.Transforms.SERVER, 5);
        assertThat(sent)
                .singleElement()
                .asString()
                .startsWith("1 Refuse[code=" + Refusal.Code.TRANSFORMS)
                .endsWith("request=5]");
        send(1, new DeliverEvents.Gone());
        sent.clear();
        ask(1, 7, Join.Transforms.CLIENT, 6);
        send(0, new DeliverEvents.Waits());
        sent.clear();
        send(0, new DeliverEvents.Waits());
        assertThat(sent).hasSize(2);
        assertThat(sent.get(0))
                .startsWith("0 Refuse[code=" + Refusal.Code.RANKS_DISAGREE)
                .endsWith("request=3]");
        assertThat(sent.get(1))
                .startsWith("1 Refuse[code=" + Refusal.Code.RANKS_DISAGREE)
                .endsWith("request=6]");
    }

    @Test
    void theFailureOfAnEvaluationIsToldToTheOtherRanks() throws Exception {
        List<String> events = new ArrayList<>();
        DeliverCoordinator evaluation = evaluation(events);
        try {
            DeliverEvents.Failed failed = new DeliverEvents.Failed("the quarantine is full");
            evaluation.handleEventFromOperator(1, 0, failed);
            assertThat(events).containsExactly("0 " + failed);
        } finally {
            evaluation.close();
        }
    }

    @Test
    void theEvaluationIsPreparedOnlyWhenAllItsSinksRun() throws Exception {
        List<String> events = new ArrayList<>();
        DeliverCoordinator evaluation = evaluation(events);
        try {
            evaluation.subtaskReset(1, 1);
            send(0, new DeliverEvents.EvaluationNears());
            assertThat(events).isEmpty();
            evaluation.executionAttemptReady(1, 1, new Gateway(1, events));
            send(0, new DeliverEvents.EvaluationNears());
            assertThat(events)
                    .containsExactly("0 " + new DeliverEvents.Prepare(1), "1 " + new DeliverEvents.Prepare(1));
        } finally {
            evaluation.close();
        }
    }

    @Test
    void rowsThatWaitAreLostWhenTheWholeJobStartsAgain() throws Exception {
        List<String> events = new ArrayList<>();
        DeliverCoordinator evaluation = evaluation(events);
        try {
            send(0, new DeliverEvents.EvaluationNears());
            for (int rank = 0; rank < 2; rank++) {
                evaluation.handleEventFromOperator(rank, 0, new DeliverEvents.Flushed(1));
            }
            evaluation.resetToCheckpoint(OperatorCoordinator.NO_CHECKPOINT, null);
            events.clear();
            for (int rank = 0; rank < 2; rank++) {
                evaluation.executionAttemptReady(rank, 1, new Gateway(rank, events));
                evaluation.handleEventFromOperator(
                        rank,
                        1,
                        new DeliverEvents.Ask(
                                RankAgreement.Request.ask("a client", 0, 4, RankAgreement.Origin.STARTED, 1),
                                Join.Transforms.CLIENT));
            }
            assertThat(events)
                    .containsExactly("0 " + new DeliverEvents.Flush(2, 0, 1), "1 " + new DeliverEvents.Flush(2, 0, 1));
        } finally {
            evaluation.close();
        }
    }
}
