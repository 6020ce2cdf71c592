package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.order.BatchPlan;
import io.millrace.sink.ChainStep;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.files.StateRefusedException;
import io.millrace.sink.progress.SavedRun;
import io.millrace.sink.spec.SinkSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the operator's checkpoints. The test acts as the source and the network. */
class TrainOperatorRecoveryTest {
    private static final int MICRO_BATCH = 5;
    private static final Set<Long> BAD = Set.of(3L, 17L, 40L);

    @TempDir
    Path folder;

    private BufferAllocator allocator;

    @BeforeEach
    void setUp() {
        allocator = new RootAllocator();
    }

    @AfterEach
    void nothingIsLeaked() {
        allocator.close();
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    /** One attempt of the operator: it receives rows, may make a checkpoint, and finishes or fails. */
    private final class Life implements AutoCloseable {
        private final BatchPlan plan;
        private final OneInputStreamOperatorTestHarness<MicroBatch, Void> harness;
        private boolean open = true;

        Life(BatchPlan plan, SinkSpec spec, @Nullable OperatorSubtaskState from) throws Exception {
            this.plan = plan;
            harness = new OneInputStreamOperatorTestHarness<>(new TrainOperatorFactory(spec), 1, 1, 0);
            harness.setup();
            if (from != null) {
                harness.initializeState(from);
            }
            harness.open();
        }

        void feed(List<Long> positions) throws Exception {
            for (int at = 0; at < positions.size(); at += MICRO_BATCH) {
                List<Long> some = positions.subList(at, Math.min(positions.size(), at + MICRO_BATCH));
                harness.processElement(new StreamRecord<>(SinkFixture.microBatch(allocator, plan, some, BAD)));
            }
        }

        OperatorSubtaskState checkpoint(long id) throws Exception {
            harness.prepareSnapshotPreBarrier(id);
            OperatorSubtaskState state = harness.snapshot(id, id);
            harness.notifyOfCompletedCheckpoint(id);
            return state;
        }

        /** Ends the task as Flink does in a job that restarts. */
        TrainReport fail() throws Exception {
            harness.getOperator().getContainingTask().cancel();
            return end();
        }

        TrainReport finish() throws Exception {
            harness.endInput();
            return end();
        }

        /** Ends the task as Flink does after a savepoint that stops the job. */
        TrainReport stop() throws Exception {
            return end();
        }

        private TrainReport end() throws Exception {
            open = false;
            harness.close();
            Accumulator<?, ?> report = harness.getEnvironment()
                    .getAccumulatorRegistry()
                    .getUserMap()
                    .get(TrainReport.ACCUMULATOR);
            return TrainReports.of(Objects.requireNonNull(report).getLocalValue())
                    .orElseThrow()
                    .whole();
        }

        @Override
        public void close() {
            if (open) {
                try {
                    harness.getOperator().getContainingTask().cancel();
                    harness.close();
                } catch (Exception e) {
                    throw new AssertionError("the operator does not close", e);
                }
            }
        }
    }

    private SinkSpec spec(BatchPlan plan, int ring, String name) throws Exception {
        return SinkFixture.spec(
                plan, (s, capacity, device) -> new ChainStep(), ring, 1, Files.createDirectories(folder.resolve(name)));
    }

    private List<Long> order(BatchPlan plan, long seed) {
        Random random = new Random(seed);
        List<Long> window = new ArrayList<>();
        List<Long> order = new ArrayList<>();
        for (long next = 0; next < plan.positions() || !window.isEmpty(); ) {
            while (window.size() < 30 && next < plan.positions()) {
                window.add(next++);
            }
            order.add(window.remove(random.nextInt(window.size())));
        }
        return order;
    }

    private record Outcome(TrainReport report, List<String> steps, String ledger, String quarantine) {
        static Outcome of(TrainReport report, Path run) throws Exception {
            // Times differ between runs; step, epoch, rows and loss do not.
            List<String> steps = Files.readAllLines(run.resolve("steps.csv")).stream()
                    .map(line -> String.join(",", List.of(line.split(",")).subList(0, 4)))
                    .toList();
            return new Outcome(
                    report,
                    steps,
                    Files.readString(run.resolve("ledger.csv")),
                    Files.readString(run.resolve("quarantine.jsonl")));
        }

        void requireSame(Outcome quiet) {
            assertThat(report.result().parametersSha256())
                    .isEqualTo(quiet.report.result().parametersSha256());
            assertThat(steps).isEqualTo(quiet.steps);
            assertThat(ledger).isEqualTo(quiet.ledger);
            assertThat(quarantine).isEqualTo(quiet.quarantine);
            assertThat(report.counters().steps())
                    .isEqualTo(quiet.report.counters().steps());
            assertThat(report.counters().samples())
                    .isEqualTo(quiet.report.counters().samples());
            assertThat(report.counters().wireBytes())
                    .isEqualTo(quiet.report.counters().wireBytes());
            assertThat(report.result().finalLoss())
                    .isEqualTo(quiet.report.result().finalLoss());
            assertThat(report.result().evaluationLoss())
                    .isEqualTo(quiet.report.result().evaluationLoss());
            assertThat(report.result().accuracy())
                    .isEqualTo(quiet.report.result().accuracy());
            assertThat(report.task().quarantined())
                    .isEqualTo(quiet.report.task().quarantined());
            assertThat(report.task().quarantinedRows())
                    .isEqualTo(quiet.report.task().quarantinedRows());
            assertThat(report.pace().epochMillis())
                    .hasSameSizeAs(quiet.report.pace().epochMillis());
        }
    }

    private Outcome quiet(BatchPlan plan) throws Exception {
        try (Life life = new Life(plan, spec(plan, 2, "quiet"), null)) {
            life.feed(LongStream.range(0, plan.positions()).boxed().toList());
            return Outcome.of(life.finish(), folder.resolve("quiet"));
        }
    }

    @ParameterizedTest
    @CsvSource({"1,2,2,false", "2,2,5,false", "3,5,2,true", "4,3,4,true", "5,4,4,false", "6,2,3,true"})
    void failuresAtAnyPlaceDoNotChangeTheResult(long seed, int ring, int nextRing, boolean dropLast) throws Exception {
        BatchPlan plan = new BatchPlan(53, 8, dropLast, 4, 11, 2);
        Outcome quiet = quiet(plan);
        List<Long> order = order(plan, seed);
        Random random = new Random(seed);
        @Nullable OperatorSubtaskState state = null;
        @Nullable TrainReport report = null;
        int fed = 0;
        for (int failures = 0; report == null; failures++) {
            try (Life life = new Life(plan, spec(plan, failures % 2 == 0 ? ring : nextRing, "run"), state)) {
                int until = Math.min(order.size(), fed + 1 + random.nextInt(40));
                life.feed(order.subList(fed, until));
                state = life.checkpoint(failures);
                fed = until;
                // The batches after the checkpoint are trained on and recorded in the files. The failure then undoes
                // them.
                life.feed(order.subList(fed, Math.min(order.size(), fed + random.nextInt(30))));
                if (fed == order.size()) {
                    report = life.finish();
                } else {
                    assertThat(life.fail().result().parametersSha256()).isNull();
                    assertThat(folder.resolve("run/model")).doesNotExist();
                }
            }
        }

        Outcome.of(report, folder.resolve("run")).requireSame(quiet);
        assertThat(report.task().restarts()).isPositive();
        assertThat(report.task().checkpoints().count()).isEqualTo(report.task().restarts() + 1L);
        assertThat(report.task().checkpoints().copyNanos()).isPositive();
        assertThat(folder.resolve("run/model/digest.txt"))
                .hasContent(report.result().parametersSha256());
    }

    @Test
    void checkpointMayBeRestoredTwice() throws Exception {
        BatchPlan plan = new BatchPlan(40, 8, false, 2, 0, 1);
        Outcome quiet = quiet(plan);
        List<Long> order = order(plan, 9);
        OperatorSubtaskState state;
        try (Life life = new Life(plan, spec(plan, 3, "run"), null)) {
            life.feed(order.subList(0, 37));
            state = life.checkpoint(1);
        }
        for (int time = 0; time < 2; time++) {
            try (Life life = new Life(plan, spec(plan, 3, "run"), state)) {
                life.feed(order.subList(37, order.size()));
                Outcome.of(life.finish(), folder.resolve("run")).requireSame(quiet);
            }
        }
    }

    @Test
    void checkpointWithinAnEvaluationContinuesTheEvaluation() throws Exception {
        BatchPlan plan = new BatchPlan(16, 8, false, 2, 30, 1);
        Outcome quiet = quiet(plan);
        OperatorSubtaskState state;
        try (Life life = new Life(plan, spec(plan, 3, "run"), null)) {
            life.feed(LongStream.range(0, 35).boxed().toList());
            state = life.checkpoint(1);
        }
        try (Life life = new Life(plan, spec(plan, 3, "run"), state)) {
            life.feed(LongStream.range(35, plan.positions()).boxed().toList());
            Outcome.of(life.finish(), folder.resolve("run")).requireSame(quiet);
        }
    }

    @Test
    void stoppedRunContinuesFromItsSavepointInAnotherFolder() throws Exception {
        BatchPlan plan = new BatchPlan(40, 8, false, 2, 0, 1);
        Outcome quiet = quiet(plan);
        List<Long> order = order(plan, 9);
        OperatorSubtaskState state;
        TrainReport stopped;
        try (Life life = new Life(plan, spec(plan, 3, "run"), null)) {
            life.feed(order.subList(0, 50));
            state = life.checkpoint(1);
            stopped = life.stop();
        }
        assertThat(stopped.finished()).isFalse();
        assertThat(folder.resolve("run/model/digest.txt"))
                .hasContent(stopped.result().parametersSha256());

        try (Life life = new Life(plan, spec(plan, 3, "next"), state)) {
            life.feed(order.subList(50, order.size()));
            TrainReport report = life.finish();
            Outcome.of(report, folder.resolve("next")).requireSame(quiet);
            assertThat(report.counters().earlierSteps())
                    .isEqualTo(stopped.counters().steps());
            assertThat(report.counters().earlierSamples())
                    .isEqualTo(stopped.counters().samples());
        }
        assertThat(Files.readAllLines(folder.resolve("run/steps.csv")))
                .hasSize((int) stopped.counters().steps() + 1);
    }

    @Test
    void finishedRunContinuesForMoreEpochsWithoutACheckpoint() throws Exception {
        BatchPlan longer = new BatchPlan(45, 8, false, 3, 7, 1);
        BatchPlan shorter = new BatchPlan(45, 8, false, 1, 7, 1);
        Outcome quiet = quiet(longer);
        try (Life life = new Life(shorter, spec(shorter, 3, "run"), null)) {
            life.feed(order(shorter, 4));
            assertThat(life.finish().finished()).isTrue();
        }
        Path saved = folder.resolve("run/model/state");
        SavedRun.Place place = SavedRun.place(saved);
        assertThat(place)
                .isEqualTo(new SavedRun.Place(
                        shorter.batches(),
                        shorter.positions(),
                        folder.resolve("run").toAbsolutePath().toString()));

        try (Life life = new Life(longer, spec(longer, 3, "next").startingFrom(saved.toString()), null)) {
            life.feed(LongStream.range(place.firstPosition(), longer.positions())
                    .boxed()
                    .toList());
            Outcome.of(life.finish(), folder.resolve("next")).requireSame(quiet);
        }
    }

    @Test
    void missingStepsFileIsReportedWithoutARestart() throws Exception {
        BatchPlan plan = new BatchPlan(40, 8, false, 1, 0, 1);
        OperatorSubtaskState state;
        try (Life life = new Life(plan, spec(plan, 3, "run"), null)) {
            life.feed(LongStream.range(0, 20).boxed().toList());
            state = life.checkpoint(1);
        }
        Files.delete(folder.resolve("run/steps.csv"));

        try (Life life = new Life(plan, spec(plan, 3, "run"), state)) {
            assertThatThrownBy(() -> life.checkpoint(2))
                    .cause()
                    .isInstanceOf(SuppressRestartsException.class)
                    .cause()
                    .isInstanceOf(StateRefusedException.class)
                    .hasMessageContaining("steps.csv, which is missing");
        }
    }
}
