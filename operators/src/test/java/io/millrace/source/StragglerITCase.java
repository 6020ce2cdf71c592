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
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.accumulators.IntCounter;
import org.apache.flink.api.common.accumulators.LongMaximum;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test with Flink in four slots. One slot is ten times slower than the others and also stalls once. */
class StragglerITCase {
    private static final int SLOTS = 4;
    private static final int SLOW_SLOT = 1;
    private static final int SLOWNESS = 10;
    private static final int SAMPLES = 4000;
    private static final int RANGE = 8;
    private static final int WINDOW = 28;

    /** The number of samples in transit to the task that restores the order, which small network buffers limit. */
    private static final int IN_FLIGHT = 64;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(SLOTS)
            .build());

    /** A function that needs some time for each sample. In one slot it needs longer and also stalls once. */
    private static final class Slow extends RichMapFunction<Sample, Sample> {
        private static final long serialVersionUID = 1;

        private final IntCounter seen = new IntCounter();
        private boolean slow;

        @Override
        public void open(OpenContext context) {
            int slot = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            slow = slot == SLOW_SLOT;
            getRuntimeContext().addAccumulator("slot-" + slot, seen);
        }

        @Override
        public Sample map(Sample sample) {
            seen.add(1);
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(slow ? 500 * SLOWNESS : 500));
            if (slow && seen.getLocalValuePrimitive() == 20) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1500));
            }
            return sample;
        }
    }

    /** A function that counts the samples that a task must hold to restore the order. */
    private static final class Reorder extends RichMapFunction<Sample, Long> {
        private static final long serialVersionUID = 1;

        private final LongMaximum most = new LongMaximum();
        private final BitSet arrived = new BitSet();

        @Override
        public void open(OpenContext context) {
            getRuntimeContext().addAccumulator("most", most);
        }

        @Override
        public Long map(Sample sample) {
            arrived.set((int) sample.position());
            int next = arrived.nextClearBit(0);
            most.add(arrived.cardinality() - next);
            return sample.position();
        }
    }

    @Test
    void windowBoundsTheWaitingSamplesAndTheSlowSlotGetsFewer() throws Exception {
        JobExecutionResult result = run(WINDOW);

        assertThat(result.<Long>getAccumulatorResult("most")).isLessThanOrEqualTo((WINDOW + 1) * RANGE + IN_FLIGHT);
        int slow = result.getAccumulatorResult("slot-" + SLOW_SLOT);
        int all = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            all += result.<Integer>getAccumulatorResult("slot-" + slot);
        }
        assertThat(all).isEqualTo(SAMPLES);
        assertThat(slow).isLessThan(SAMPLES / SLOTS / 2);
    }

    @Test
    void manyMoreSamplesWaitWithoutTheWindow() throws Exception {
        JobExecutionResult result = run(SAMPLES);

        assertThat(result.<Long>getAccumulatorResult("most")).isGreaterThan((WINDOW + 1) * RANGE + IN_FLIGHT);
    }

    private static JobExecutionResult run(int window) throws Exception {
        SyntheticFormat format = new SyntheticFormat();
        DatasetSpec dataset = new DatasetSpec(
                format.name(),
                OptionValues.of(format.options(), Map.of("size", (long) SAMPLES, "shape", List.of(2L, 2L, 1L))));
        BatchPlan plan = new BatchPlan(SAMPLES, 32, false, 1, 0, 1);
        DatasetSource<Sample> source = DatasetSource.of(
                RunData.of(dataset, null, plan, new EpochOrder(7, SAMPLES, Shuffle.FULL)),
                new ReadOptions(RANGE, window, 4, 1),
                new RunStart(0, RunIdentity.UNKNOWN, RunStart.OtherRuns.REFUSED),
                null);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(SLOTS);
        env.setBufferTimeout(0);
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "read")
                .map(new Slow())
                .returns(SampleType.INSTANCE)
                .rebalance()
                .map(new Reorder())
                .setParallelism(1)
                .sinkTo(new DiscardingSink<>())
                .setParallelism(1);
        return env.execute();
    }
}
