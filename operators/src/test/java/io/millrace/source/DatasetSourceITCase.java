package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.folder.FolderFormat;
import io.millrace.dataset.synthetic.SyntheticFormat;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sample.Split;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetSourceITCase {
    /** The arrangement of the stages: in one chain, where each subtask fails alone, or apart, where all fail together. */
    enum Stages {
        FUSED,
        SEPARATE
    }

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    /**
     * Longer than any test: the only checkpoint is the one that a test requests when all tasks run. When a reader restarts alone
     * during a checkpoint, Flink 2.3 sometimes ends the whole process: its coordinator marks the readers' gateways for the
     * checkpoint, the restarted reader then gets a new gateway without the mark, and closing some but not all of them counts
     * as a bug ("Some subtask gateway can be closed while others cannot").
     */
    private static final Duration NEVER = Duration.ofDays(1);

    private static final ReadOptions OPTIONS = new ReadOptions(16, 12, 2, 2);

    private static @Nullable MiniCluster cluster;

    @TempDir
    Path folder;

    @BeforeAll
    static void remember(@InjectMiniCluster MiniCluster started) {
        cluster = started;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void everyPositionHasItsSampleAtAnyParallelism(int parallelism) throws Exception {
        BatchPlan plan = new BatchPlan(1003, 64, true, 3, 101, 2);
        List<Tuple2<Long, Long>> history =
                run(source(synthetic(1003), synthetic(101), plan), parallelism, Stages.SEPARATE, new Configuration());

        assertThat(history).isEqualTo(expected(plan));
    }

    @ParameterizedTest
    @EnumSource
    void everyPositionIsInTheHistoryOnceAfterFailures(Stages stages) throws Exception {
        BatchPlan plan = new BatchPlan(50_000, 64, false, 2, 0, 1);
        Saboteur.failTimes(3);
        List<Tuple2<Long, Long>> history =
                run(source(synthetic(50_000), null, plan), 2, stages, checkpointedAndRestarted());

        assertThat(Saboteur.failuresLeft()).isZero();
        assertThat(history).isEqualTo(expected(plan));
    }

    @ParameterizedTest
    @EnumSource
    void everyPositionIsInTheHistoryOnceAfterFailuresWhileReadingAhead(Stages stages) throws Exception {
        BatchPlan plan = new BatchPlan(60, 8, false, 2000, 0, 1);
        Saboteur.failTimes(3);
        List<Tuple2<Long, Long>> history = run(source(files(60), null, plan), 2, stages, checkpointedAndRestarted());

        assertThat(Saboteur.failuresLeft()).isZero();
        assertThat(history).isEqualTo(expected(plan));
    }

    @Test
    void datasetThatChangedSinceThePlanFailsTheJobWithASentence() {
        BatchPlan plan = new BatchPlan(100, 10, false, 1, 0, 1);

        assertThatThrownBy(() -> run(source(synthetic(99), null, plan), 1, Stages.FUSED, new Configuration()))
                .hasStackTraceContaining("has 99 samples, but had 100 when the run was planned");
    }

    @Test
    void planWithAnotherOrderOrOtherDatasetsIsRefused() {
        BatchPlan plan = new BatchPlan(100, 10, false, 1, 0, 1);
        EpochOrder other = new EpochOrder(1, 99, Shuffle.FULL);

        assertThatThrownBy(() -> source(synthetic(100), null, plan, other))
                .hasMessage("the order has 99 samples, but the plan has 100");
        assertThatThrownBy(() -> source(synthetic(100), synthetic(5), plan))
                .hasMessageContaining("the plan has 0 evaluation samples");
    }

    private static List<Tuple2<Long, Long>> run(
            DatasetSource<Sample> source, int parallelism, Stages stages, Configuration configuration)
            throws Exception {
        configuration.set(PipelineOptions.GENERIC_TYPES, false);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        DataStream<Sample> samples = env.fromSource(source, WatermarkStrategy.noWatermarks(), "read")
                .map(new Saboteur())
                .returns(SampleType.INSTANCE);
        String run = "run-" + System.nanoTime();
        (stages == Stages.FUSED ? samples : samples.rebalance())
                .transform("note", Types.LONG, new Ledger(run))
                .sinkTo(new DiscardingSink<>());
        JobClient job = env.executeAsync(run);
        if (Saboteur.failuresLeft() > 0) {
            MiniCluster flink = Objects.requireNonNull(cluster);
            CommonTestUtils.waitForAllTaskRunning(flink, job.getJobID(), false);
            flink.triggerCheckpoint(job.getJobID()).get();
        }
        job.getJobExecutionResult().get();
        return Ledger.takeHistory(run);
    }

    private static Configuration checkpointedAndRestarted() {
        return new Configuration()
                .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, NEVER)
                .set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, NEVER)
                .set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay")
                .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 10)
                .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
    }

    private static DatasetSource<Sample> source(DatasetSpec train, @Nullable DatasetSpec evaluation, BatchPlan plan) {
        return source(train, evaluation, plan, order(plan));
    }

    private static DatasetSource<Sample> source(
            DatasetSpec train, @Nullable DatasetSpec evaluation, BatchPlan plan, EpochOrder order) {
        RunStart start = new RunStart(0, RunIdentity.UNKNOWN, RunStart.OtherRuns.REFUSED);
        return DatasetSource.of(RunData.of(train, evaluation, plan, order), OPTIONS, start, null);
    }

    private static EpochOrder order(BatchPlan plan) {
        return new EpochOrder(11, plan.size(), Shuffle.FULL);
    }

    private static DatasetSpec synthetic(long size) {
        SyntheticFormat format = new SyntheticFormat();
        return new DatasetSpec(
                format.name(), OptionValues.of(format.options(), Map.of("size", size, "shape", List.of(2L, 2L, 1L))));
    }

    /** Returns a dataset of files that are read and never decoded, so their content does not matter. */
    private DatasetSpec files(int count) throws Exception {
        Path images = Files.createDirectories(folder.resolve("class"));
        for (int i = 0; i < count; i++) {
            Files.write(images.resolve("image" + i + ".png"), new byte[] {(byte) 0x89, 'P', 'N', 'G', (byte) i});
        }
        FolderFormat format = new FolderFormat();
        return new DatasetSpec(format.name(), OptionValues.of(format.options(), Map.of("path", folder.toString())));
    }

    private static List<Tuple2<Long, Long>> expected(BatchPlan plan) {
        EpochOrder order = order(plan);
        List<Tuple2<Long, Long>> expected = new ArrayList<>();
        for (long position = 0; position < plan.positions(); position++) {
            BatchPlan.Place place = plan.place(position);
            long index = place.split() == Split.TRAIN ? order.index(place.epoch(), place.i()) : place.i();
            expected.add(Tuple2.of(position, index));
        }
        return expected;
    }
}
