package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.synthetic.SyntheticFormat;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A test that ranges add no metrics. Flink keeps the metrics of a split until the task ends, and a run has millions of ranges.
 */
class RangeMetricsITCase {
    private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();
    private static final int PARALLELISM = 2;
    private static final long SAMPLES = 1000;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setConfiguration(REPORTER.addToConfiguration(new Configuration()))
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(PARALLELISM)
            .build());

    @Test
    void flinkCreatesMetricsForAReaderAndNotForEachRange() throws Exception {
        SyntheticFormat format = new SyntheticFormat();
        DatasetSpec dataset = new DatasetSpec(
                format.name(),
                OptionValues.of(format.options(), Map.of("size", SAMPLES, "shape", List.of(2L, 2L, 1L))));
        DatasetSource<Sample> source = DatasetSource.of(
                RunData.of(
                        dataset,
                        null,
                        new BatchPlan(SAMPLES, 10, false, 1, 0, 1),
                        new EpochOrder(11, SAMPLES, Shuffle.NONE)),
                new ReadOptions(4, 12, 2, 2),
                new RunStart(0, RunIdentity.UNKNOWN, RunStart.OtherRuns.REFUSED),
                null);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(PARALLELISM);
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "read").sinkTo(new DiscardingSink<>());
        JobID job = env.execute("ranges").getJobID();

        Set<String> ofSplits = REPORTER.getMetricsByIdentifiers(job).keySet().stream()
                .filter(name -> name.contains(".split."))
                .map(name -> name.substring(0, name.lastIndexOf('.')))
                .collect(Collectors.toSet());
        assertThat(ofSplits).hasSizeBetween(1, PARALLELISM);
    }
}
