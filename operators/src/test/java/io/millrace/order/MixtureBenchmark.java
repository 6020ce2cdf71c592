package io.millrace.order;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of the order of a mixture: a position after another from 10^10 on, and a seek, which is the first position of a new
 * order. The mixture has two phases of 10^9 positions and an open one, and two ramps of 10^6 positions.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@NullUnmarked
public class MixtureBenchmark {
    private static final int EPOCH = 1_000_000;
    private static final int FAR = 10_000;

    @Param({"2", "16", "1000"})
    int sources;

    @Param({"0", "256"})
    int jitter;

    private List<MixturePhase> phases;
    private MixtureOrder order;
    private long i;

    @Setup
    public void create() {
        Random random = new Random(1);
        phases = List.of(
                new MixturePhase(
                        1_000_000_000, random.longs(sources, 1, 1_000_000).toArray(), 0),
                new MixturePhase(
                        1_000_000_000, random.longs(sources, 1, 1_000_000).toArray(), 1_000_000),
                new MixturePhase(
                        MixturePhase.OPEN, random.longs(sources, 1, 1_000_000).toArray(), 1_000_000));
        order = newOrder();
    }

    private MixtureOrder newOrder() {
        MixtureOrder.Source source = new MixtureOrder.Source(1_000_000, Shuffle.FULL);
        return new MixtureOrder(42, EPOCH, new Mixture(phases, jitter, 42), Collections.nCopies(sources, source));
    }

    @Benchmark
    public long nextPosition() {
        i = i == EPOCH - 1 ? 0 : i + 1;
        return order.at(FAR, i).index();
    }

    @Benchmark
    public long seek() {
        return newOrder().at(FAR, 0).index();
    }
}
