package io.millrace.metrics;

import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A benchmark of {@link StageMetrics} per sample: three clock readings, the sampled CPU clock and the histogram. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@NullUnmarked
public class StageMetricsBenchmark {
    private final StageMetrics metrics = new StageMetrics(new UnregisteredMetricsGroup());

    @Benchmark
    public void oneSampleThroughOneStage() {
        metrics.received();
        metrics.worked(784);
        metrics.handedOn();
    }
}
