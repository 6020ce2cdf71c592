package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.serve.ListenAddress;
import io.millrace.serve.Refusal;
import io.millrace.serve.ServeEndpoint;
import io.millrace.serve.ServeSpec;
import io.millrace.serve.WireClient;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.sink.files.QuarantineLog;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.task.TrainerMailbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The delivery to a client of a real endpoint. The test is the task's thread and the coordinator. */
@Timeout(60)
class DeliveryTest {
    private static final BatchPlan PLAN = new BatchPlan(20, 4, false, 2, 0, 1);

    @TempDir
    Path folder;

    private final Mailbox mailbox = new Mailbox();
    private final List<OperatorEvent> sent = new ArrayList<>();
    private Delivery delivery;
    private ServeEndpoint endpoint;

    /** The actions for the task's thread, which the test runs. */
    private static final class Mailbox implements MailboxExecutor {
        private final BlockingQueue<ThrowingRunnable<? extends Exception>> actions = new LinkedBlockingQueue<>();

        @Override
        public void execute(
                MailOptions options, ThrowingRunnable<? extends Exception> action, String what, Object... names) {
            actions.add(action);
        }

        @Override
        public void yield() throws InterruptedException {
            try {
                actions.take().run();
            } catch (InterruptedException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new FlinkRuntimeException(e);
            }
        }

        @Override
        public boolean tryYield() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean shouldInterrupt() {
            return false;
        }
    }

    @BeforeEach
    void open() throws IOException {
        open(ServeSpec.Stream.TRAINING);
    }

    private void open(ServeSpec.Stream stream) throws IOException {
        SinkSpec spec = SinkFixture.spec(
                PLAN,
                (train, capacity, device) -> {
                    throw new AssertionError("nothing is trained here");
                },
                2,
                1,
                folder);
        ServeSpec serve = new ServeSpec(
                folder.toString(),
                ServeSpec.Network.LOOPBACK,
                "0123456789abcdef0123456789abcdef",
                1,
                "{\"fingerprint\": {}}",
                stream,
                null);
        DeliveredSteps steps = DeliveredSteps.open(spec, "run", RankPlan.single(PLAN), new TrainerMetrics(), 0);
        delivery = new Delivery(spec, serve, 0, new TrainerMailbox(mailbox), sent::add, steps);
        endpoint = ServeEndpoint.open(serve, new ListenAddress("127.0.0.1", 0, null));
        endpoint.join(0, delivery);
    }

    @AfterEach
    void close() throws IOException {
        try (ServeEndpoint open = endpoint) {
            open.leave(0, delivery);
            delivery.close();
        }
    }

    /** Connects a client that has buffers. */
    private WireClient client() throws Exception {
        return client(Map.of());
    }

    private WireClient client(Map<String, Object> join) throws Exception {
        WireClient client = WireClient.connect(endpoint.addresses().get(0));
        client.join(join);
        assertThat(client.next().type()).isEqualTo(WireClient.PLAN);
        client.sendJson(WireClient.MEMORY, Map.of("kind", "inline", "buffers", 2));
        assertThat(client.next().json().required("kind").asText()).isEqualTo("inline");
        mailbox.yield();
        assertThat(sent).last().isInstanceOf(DeliverEvents.Connected.class);
        return client;
    }

    /** Lets the client ask for a step, and returns the number of its request. */
    private long ask(WireClient client, int generation, long step) throws Exception {
        client.send(WireClient.SEEK, generation, step, 0, 0);
        mailbox.yield();
        return ((DeliverEvents.Ask) sent.get(sent.size() - 1)).request().number();
    }

    private static String reason(WireClient client) throws IOException {
        WireClient.Received received = Objects.requireNonNull(client.receive());
        assertThat(received.type()).isEqualTo(WireClient.WAIT);
        return received.json().required("reason").asText();
    }

    @Test
    void aFailureOfAnEvaluationIsTheAnswerToItsClientsAndNotTheEndOfTheTask() throws Exception {
        close();
        open(ServeSpec.Stream.EVALUATION);
        Map<String, Object> join = Map.of("stream", "evaluation");
        try (WireClient client = client(join)) {
            ask(client, 1, 0);
            delivery.fail(new IOException("the quarantine is full"));
            assertThat(failure(client)).isEqualTo("the evaluation cannot be delivered: the quarantine is full");
        }
        assertThat(sent)
                .last()
                .isEqualTo(new DeliverEvents.Failed("the evaluation cannot be delivered: the quarantine is full"));
        mailbox.yield(); // the client has gone
        accept(); // the row is dropped
        delivery.handle(new DeliverEvents.Prepare(2));
        delivery.passed(2);
        assertThat(sent).doesNotHaveAnyElementsOfTypes(DeliverEvents.Flushed.class);
        try (WireClient later = WireClient.connect(endpoint.addresses().get(0))) {
            later.join(join);
            assertThat(failure(later)).isEqualTo("the evaluation cannot be delivered: the quarantine is full");
        }
    }

    /** Lets the first row arrive. Its sample is bad if {@code bad} has its index. */
    private void accept(long... bad) throws Exception {
        try (BufferAllocator allocator = new RootAllocator()) {
            delivery.accept(SinkFixture.microBatch(
                    allocator, PLAN, List.of(0L), Arrays.stream(bad).boxed().collect(Collectors.toSet())));
        }
    }

    private static String failure(WireClient client) throws IOException {
        WireClient.Received refused = client.next();
        assertThat(refused.type()).isEqualTo(WireClient.ERROR);
        assertThat(refused.json().required("code").asText()).isEqualTo("job_failed");
        return refused.json().required("message").asText();
    }

    @Test
    void aSinkWithoutAClientReportsThatItIsReadyForPreparedRows() {
        delivery.handle(new DeliverEvents.Prepare(3));
        assertThat(sent).isEmpty();
        delivery.passed(3);
        assertThat(sent).containsExactly(new DeliverEvents.Flushed(3));
        delivery.handle(new DeliverEvents.Prepare(3));
        assertThat(sent).containsExactly(new DeliverEvents.Flushed(3), new DeliverEvents.Flushed(3));
    }

    @Test
    void aWaitingClientHearsTheReasonOnceInEachInterval() throws Exception {
        try (WireClient client = client()) {
            ask(client, 1, 3);
            delivery.remind();
            delivery.handle(new DeliverEvents.Report("rank 1 of 2, which has not connected"));
            delivery.handle(new DeliverEvents.Report("an answer to nothing"));
            delivery.remind(); // no answer comes in this interval and the next one
            delivery.remind();
            delivery.handle(new DeliverEvents.Report(null));
            assertThat(sent).filteredOn(DeliverEvents.Waits.class::isInstance).hasSize(3);

            assertThat(reason(client)).isEqualTo("waiting for rank 1 of 2, which has not connected");
            assertThat(reason(client)).isEqualTo("waiting for rank 1 of 2, which has not connected");
            assertThat(reason(client)).isEqualTo("waiting for batch 3");
            delivery.close();
            assertThat(client.receive()).as("no message more").isNull();
        }
    }

    @Test
    void anAnswerToAnEarlierWaitIsNotForTheNextRequest() throws Exception {
        try (WireClient client = client()) {
            ask(client, 1, 3);
            delivery.remind();
            ask(client, 2, 0);
            delivery.handle(new DeliverEvents.Report("rank 1 (b), which asks for step 7"));
            delivery.close();
            assertThat(client.receive()).as("no message").isNull();
        }
    }

    @Test
    void aRefusalOfAnEarlierRequestIsNotForTheNextOne() throws Exception {
        try (WireClient client = client()) {
            long first = ask(client, 1, 3);
            long second = ask(client, 2, 0);
            delivery.handle(new DeliverEvents.Refuse(Refusal.Code.RANKS_DISAGREE, "late", first));
            delivery.handle(new DeliverEvents.Refuse(Refusal.Code.RANKS_DISAGREE, "the ranks disagree", second));
            WireClient.Received refused = client.next();
            assertThat(refused.type()).isEqualTo(WireClient.ERROR);
            assertThat(refused.json().required("code").asText()).isEqualTo("ranks_disagree");
            assertThat(refused.json().required("message").asText()).isEqualTo("the ranks disagree");
        }
    }

    @Test
    void theFailureOfAnEvaluationOnAnotherRankIsTheAnswerToTheClient() throws Exception {
        close();
        open(ServeSpec.Stream.EVALUATION);
        try (WireClient client = client(Map.of("stream", "evaluation"))) {
            ask(client, 1, 0);
            delivery.handle(new DeliverEvents.Failed("the quarantine of rank 1 is full"));
            assertThat(failure(client)).isEqualTo("the quarantine of rank 1 is full");
        }
        accept(); // the row is dropped
        assertThat(sent).as("no answer").doesNotHaveAnyElementsOfTypes(DeliverEvents.Failed.class);
    }

    @Test
    void anEvaluationWhoseBadSamplesCannotBeWrittenEndsWithoutTheTask() throws Exception {
        close();
        open(ServeSpec.Stream.EVALUATION);
        try (WireClient client = client(Map.of("stream", "evaluation"))) {
            acceptBadSampleThatCannotBeWritten(client);
            delivery.remind();
            assertThat(failure(client))
                    .startsWith("the evaluation cannot be delivered: ")
                    .contains(QuarantineLog.NAME);
        }
        delivery.remind();
        assertThat(sent)
                .filteredOn(DeliverEvents.Failed.class::isInstance)
                .as("once")
                .hasSize(1);
        removeObstacle();
    }

    @Test
    void aTrainingWhoseBadSamplesCannotBeWrittenFails() throws Exception {
        try (WireClient client = client()) {
            acceptBadSampleThatCannotBeWritten(client);
            assertThatThrownBy(() -> delivery.remind())
                    .isInstanceOf(UnwritableException.class)
                    .hasMessageContaining(QuarantineLog.NAME);
        }
        removeObstacle();
    }

    private void acceptBadSampleThatCannotBeWritten(WireClient client) throws Exception {
        long request = ask(client, 1, 0);
        delivery.handle(new DeliverEvents.Flush(1, 0, request));
        delivery.passed(1);
        accept(SinkFixture.index(PLAN, 0));
        Files.delete(folder.resolve(QuarantineLog.NAME));
        Files.createDirectories(folder.resolve(QuarantineLog.NAME + "/not-a-file"));
    }

    private void removeObstacle() throws IOException {
        Files.delete(folder.resolve(QuarantineLog.NAME + "/not-a-file"));
        Files.delete(folder.resolve(QuarantineLog.NAME));
    }
}
