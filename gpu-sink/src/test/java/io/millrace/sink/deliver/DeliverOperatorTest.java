package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.MicroBatch;
import io.millrace.order.BatchPlan;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.OpenFiles;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.spec.SinkSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The end of a sink's task. */
class DeliverOperatorTest {
    private static final BatchPlan PLAN = new BatchPlan(20, 4, false, 2, 0, 1);

    /** The ranks that have reported. Static, because Flink copies the target. */
    private static final List<Integer> REPORTED = new CopyOnWriteArrayList<>();

    @TempDir
    Path folder;

    @BeforeEach
    void forget() {
        REPORTED.clear();
    }

    private DeliverOperatorFactory factory() {
        return factory(ServeSpec.Stream.TRAINING);
    }

    private DeliverOperatorFactory factory(ServeSpec.Stream stream) {
        SinkSpec spec = SinkFixture.spec(
                        PLAN,
                        (train, capacity, device) -> {
                            throw new AssertionError("nothing is trained here");
                        },
                        2,
                        1,
                        folder)
                .reportingTo((rank, report, failure) -> REPORTED.add(rank));
        ServeSpec serve = new ServeSpec(
                folder.toString(),
                ServeSpec.Network.LOOPBACK,
                "0123456789abcdef0123456789abcdef",
                1,
                "{\"fingerprint\": {}}",
                stream,
                null);
        return new DeliverOperatorFactory(spec.served(serve), serve);
    }

    @Test
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    void aDeliveryThatCannotBeginLeavesNoFileOpen() throws Exception {
        Files.createDirectories(folder.resolve("quarantine.jsonl/not-a-file"));
        try (var harness = new OneInputStreamOperatorTestHarness<MicroBatch, Void>(factory())) {
            assertThatThrownBy(harness::open).hasStackTraceContaining("quarantine.jsonl");
        }
        assertThat(OpenFiles.below(folder)).isEmpty();
    }

    @Test
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    void aTaskThatEndsReportsTheRun() throws Exception {
        try (var harness = new OneInputStreamOperatorTestHarness<MicroBatch, Void>(factory())) {
            harness.open();
            harness.endInput();
        }
        assertThat(REPORTED).containsExactly(0);
    }

    @Test
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    void anEvaluationHasAddressesOfItsOwnAndReportsNoRun() throws Exception {
        try (var harness =
                new OneInputStreamOperatorTestHarness<MicroBatch, Void>(factory(ServeSpec.Stream.EVALUATION))) {
            harness.open();
            ((DeliverOperator) harness.getOperator()).handle(new DeliverEvents.Stop());
            assertThat(harness.getEnvironment().getAccumulatorRegistry().getUserMap())
                    .containsOnlyKeys("millrace serve evaluation");
        }
        assertThat(REPORTED).isEmpty();
    }

    @Test
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    void aTaskThatIsCancelledReportsNoEndBecauseItsJobMayStartAgain() throws Exception {
        try (var harness = new OneInputStreamOperatorTestHarness<MicroBatch, Void>(factory())) {
            harness.open();
            harness.getOperator().getContainingTask().cancel();
        }
        assertThat(REPORTED).isEmpty();
    }

    @Test
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    void aSinkThatIsStoppedReportsTheRunOnceBeforeItIsCancelled() throws Exception {
        try (var harness = new OneInputStreamOperatorTestHarness<MicroBatch, Void>(factory())) {
            harness.open();
            ((DeliverOperator) harness.getOperator()).handle(new DeliverEvents.Stop());
            assertThat(REPORTED).containsExactly(0);
            assertThat(harness.getEnvironment().getAccumulatorRegistry().getUserMap())
                    .containsKey(TrainReport.ACCUMULATOR);
            harness.getOperator().getContainingTask().cancel();
        }
        assertThat(REPORTED).containsExactly(0);
    }

    @Test
    @Timeout(60)
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    void theSinkOfAnEvaluationBehindAnotherStageIsStoppedWhileARowWaits() throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                var harness =
                        new OneInputStreamOperatorTestHarness<MicroBatch, Void>(factory(ServeSpec.Stream.EVALUATION))) {
            harness.getStreamConfig().setChainIndex(1);
            harness.open();
            DeliverOperator operator = (DeliverOperator) harness.getOperator();
            harness.getTaskMailbox()
                    .put(new Mail(
                            () -> operator.handle(new DeliverEvents.Stop()),
                            TaskMailbox.MIN_PRIORITY,
                            "an event of the coordinator"));
            harness.processElement(new StreamRecord<>(SinkFixture.microBatch(allocator, PLAN, List.of(0L), Set.of())));
            assertThat(harness.getTaskMailbox().hasMail()).isFalse();
        }
    }
}
