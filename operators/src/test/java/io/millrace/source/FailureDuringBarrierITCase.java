package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.synthetic.SyntheticFormat;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A failure of a reader after the coordinator's part of a checkpoint and before the reader's own. In Flink 2.3, a range that is assigned
 * to the reader in this time is lost, and the next checkpoint waits for it until it times out, see {@link RangeEnumerator}. This needs
 * an earlier failure: until then, Flink aborts the checkpoint before it replaces the reader.
 */
class FailureDuringBarrierITCase {
    private static final int RANGE = 16;

    /** Both readers get two ranges at first, and the next one when the first range is finished. */
    private static final ReadOptions OPTIONS = new ReadOptions(RANGE, 4, 1, 1);

    private static final Duration NEVER = Duration.ofDays(1);

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(2)
            .build());

    /** Static, because Flink creates the functions in its tasks, which run in this JVM. */
    private static final CountDownLatch RANGE_REQUESTED = new CountDownLatch(1);

    private static final CountDownLatch BARRIERS_SENT = new CountDownLatch(1);
    private static final CountDownLatch RANGE_ASSIGNED = new CountDownLatch(1);
    private static volatile boolean failed;
    private static volatile boolean checkpointed;

    /** Holds the reader of the first range until barriers are sent, and the other one until the next ranges are assigned. */
    private static final class Holding extends RichMapFunction<Sample, Sample> {
        private static final long serialVersionUID = 1;

        private int emitted;

        @Override
        public Sample map(Sample sample) throws InterruptedException {
            TaskInfo task = getRuntimeContext().getTaskInfo();
            if (task.getAttemptNumber() == 0) {
                if (task.getIndexOfThisSubtask() == 0) {
                    throw new IllegalStateException("planned: the first failure");
                }
                return sample;
            }
            if (failed) {
                if (!checkpointed) {
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
                }
                return sample;
            }
            if (sample.position() == 0) {
                BARRIERS_SENT.await();
            } else if (emitted == RANGE && sample.position() > 2 * RANGE) {
                RANGE_REQUESTED.countDown();
                RANGE_ASSIGNED.await();
                failed = true;
                throw new IllegalStateException("planned: the reader has not passed the barrier");
            } else if (sample.position() >= 5 * RANGE) {
                RANGE_ASSIGNED.countDown();
            }
            emitted++;
            return sample;
        }
    }

    /** A task of another source, which tells that Flink has sent the barriers to all sources. */
    private static final class Witness implements MapFunction<Long, Long>, CheckpointedFunction {
        private static final long serialVersionUID = 1;

        @Override
        public Long map(Long value) {
            if (!failed) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            return value;
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            BARRIERS_SENT.countDown();
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {}
    }

    @Test
    void theNextCheckpointWaitsForNoLostRange(@InjectMiniCluster MiniCluster cluster) throws Exception {
        BatchPlan plan = new BatchPlan(50_000, 64, false, 1, 0, 1);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(new Configuration()
                .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, NEVER)
                .set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, NEVER)
                .set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay")
                .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 2)
                .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100)));
        env.setParallelism(2);
        String run = "run-" + System.nanoTime();
        env.fromSource(source(plan), WatermarkStrategy.noWatermarks(), "read")
                .map(new Holding())
                .returns(SampleType.INSTANCE)
                .rebalance()
                .transform("note", Types.LONG, new Ledger(run))
                .sinkTo(new DiscardingSink<>());
        env.fromSource(new NumberSequenceSource(1, 100_000), WatermarkStrategy.noWatermarks(), "numbers")
                .map(new Witness())
                .sinkTo(new DiscardingSink<>());
        JobClient job = env.executeAsync(run);
        RANGE_REQUESTED.await();
        CommonTestUtils.waitForAllTaskRunning(cluster, job.getJobID(), false);

        CompletableFuture<String> failing = cluster.triggerCheckpoint(job.getJobID());
        assertThat(failing).failsWithin(Duration.ofMinutes(2));
        CommonTestUtils.waitForAllTaskRunning(cluster, job.getJobID(), false);
        assertThat(cluster.triggerCheckpoint(job.getJobID())).succeedsWithin(Duration.ofMinutes(2));
        checkpointed = true;

        job.getJobExecutionResult().get();
        assertThat(Ledger.takeHistory(run).stream().map(note -> note.f0).toList())
                .isEqualTo(LongStream.range(0, plan.positions()).boxed().toList());
    }

    private static DatasetSource<Sample> source(BatchPlan plan) {
        SyntheticFormat format = new SyntheticFormat();
        DatasetSpec dataset = new DatasetSpec(
                format.name(),
                OptionValues.of(format.options(), Map.of("size", plan.size(), "shape", List.of(2L, 2L, 1L))));
        return DatasetSource.of(
                RunData.of(dataset, null, plan, new EpochOrder(11, plan.size(), Shuffle.FULL)),
                OPTIONS,
                new RunStart(0, RunIdentity.UNKNOWN, RunStart.OtherRuns.REFUSED),
                null);
    }
}
