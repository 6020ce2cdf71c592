package io.millrace.source;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.synthetic.SyntheticFormat;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import io.millrace.order.Sources;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.connector.testutils.source.reader.TestingReaderOutput;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * A program that measures the cost of the source for each sample of 784 bytes: of a reader alone, with both ways of
 * reading, and of the whole source in a local Flink at several range sizes. It prints wall time and CPU time of the
 * process in nanoseconds per sample. Other programs disturb the CPU time less. Each reader runs three rounds. For jobs
 * the difference between a long and a short job counts, so that their start is not included.
 */
public final class SourceBenchmark {
    private static final long SIZE = 60_000;
    private static final long READER_SAMPLES = 3_000_000;
    private static final int BRIEF_EPOCHS = 4;
    private static final int EPOCHS = 20;

    private SourceBenchmark() {}

    /** A dataset of samples of 784 zeros, so that only the cost around a read is measured. */
    private record Zeros(boolean resident) implements Dataset {
        @Override
        public long size() {
            return SIZE;
        }

        @Override
        public Sample read(long index) {
            return new Sample(index, "zeros", 0).put(Sample.IMAGE, Field.image(28, 28, 1, new byte[784]));
        }

        @Override
        public List<String> classes() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    private static final class Discard extends TestingReaderOutput<Sample> {
        private long count;

        @Override
        public void collect(Sample sample) {
            count++;
        }
    }

    /** A cost in nanoseconds of wall time and of CPU time. */
    private record Cost(double wallNanos, double cpuNanos) {
        @Override
        public String toString() {
            return "%.0f ns, CPU %.0f ns".formatted(wallNanos, cpuNanos);
        }
    }

    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    public static void main(String[] arguments) throws Exception {
        for (int round = 0; round < 3; round++) {
            System.out.println("reader, in memory: " + reader(true, 512, 1));
            System.out.println("reader, 1 I/O thread: " + reader(false, 512, 1));
            System.out.println("reader, 4 I/O threads: " + reader(false, 512, 4));
        }
        for (int rangeSize : new int[] {512, 16, 64, 256}) {
            for (int parallelism : new int[] {2, 1}) {
                Cost brief = job(rangeSize, parallelism, BRIEF_EPOCHS);
                Cost whole = job(rangeSize, parallelism, BRIEF_EPOCHS + EPOCHS);
                double samples = (double) SIZE * EPOCHS;
                Cost cost = new Cost(
                        (whole.wallNanos - brief.wallNanos) / samples, (whole.cpuNanos - brief.cpuNanos) / samples);
                System.out.println("job, range " + rangeSize + ", parallelism " + parallelism + ": " + cost);
            }
        }
    }

    private static Cost reader(boolean resident, int rangeSize, int threads) throws Exception {
        BatchPlan plan = new BatchPlan(SIZE, 64, false, BatchPlan.ENDLESS, 0, 1);
        EpochOrder order = new EpochOrder(1, SIZE, Shuffle.FULL);
        ReadOptions options = new ReadOptions(rangeSize, 64, 4, threads);
        TestingReaderContext context = new TestingReaderContext(
                new Configuration(), InternalSourceReaderMetricGroup.mock(new MetricListener().getMetricGroup()));
        Discard output = new Discard();
        RangeReader<Sample> reader = new RangeReader<>(
                Sample.class,
                context,
                () -> new PositionReader(
                        plan,
                        order,
                        Sources.single(plan.size()),
                        List.of(new NamedDataset("zeros", new Zeros(resident))),
                        null),
                options,
                null);
        reader.start();
        long next = 0;
        long startedNanos = System.nanoTime();
        long startedCpuNanos = PROCESS.getProcessCpuTime();
        int asked = 5;
        while (output.count < READER_SAMPLES) {
            for (; asked > 0; asked--) {
                reader.addSplits(List.of(new Range(next, next + rangeSize)));
                next += rangeSize;
            }
            context.clearSentEvents();
            if (reader.pollNext(output) == InputStatus.NOTHING_AVAILABLE) {
                reader.isAvailable().get();
            }
            asked = context.getSentEvents().size();
        }
        double wallNanos = System.nanoTime() - startedNanos;
        double cpuNanos = PROCESS.getProcessCpuTime() - startedCpuNanos;
        reader.close();
        return new Cost(wallNanos / output.count, cpuNanos / output.count);
    }

    /** Returns the cost of a whole job, including its start and its end. */
    private static Cost job(int rangeSize, int parallelism, int epochs) throws Exception {
        SyntheticFormat format = new SyntheticFormat();
        DatasetSpec dataset = new DatasetSpec(
                format.name(), OptionValues.of(format.options(), Map.of("size", SIZE, "shape", List.of(28L, 28L, 1L))));
        BatchPlan plan = new BatchPlan(SIZE, 64, false, epochs, 0, 1);
        EpochOrder order = new EpochOrder(1, SIZE, Shuffle.FULL);
        ReadOptions options = new ReadOptions(rangeSize, 128 / rangeSize + 1 + parallelism * 5, 4, 4);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(
                parallelism, new Configuration().set(PipelineOptions.OBJECT_REUSE, true));
        RunStart start = new RunStart(0, RunIdentity.UNKNOWN, RunStart.OtherRuns.REFUSED);
        DatasetSource<Sample> source = DatasetSource.of(RunData.of(dataset, null, plan, order), options, start, null);
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "read").sinkTo(new DiscardingSink<>());
        long startedCpuNanos = PROCESS.getProcessCpuTime();
        double wallNanos = env.execute("benchmark").getNetRuntime() * 1e6;
        double cpuNanos = PROCESS.getProcessCpuTime() - startedCpuNanos;
        return new Cost(wallNanos, cpuNanos);
    }
}
