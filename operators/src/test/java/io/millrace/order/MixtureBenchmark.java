package io.millrace.order;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
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
 * order. The mixture has two phases of 10^9 positions and an open one, and two ramps of 10^6 positions. As a program, it prints the CPU
 * time of a thread for each, which other programs disturb less.
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

    /** Prints the CPU time of a position and of a seek, the least of ten rounds of which the first ones compile. */
    public static void main(String[] arguments) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (int sources : new int[] {2, 16, 1000}) {
            for (int jitter : new int[] {0, 256}) {
                MixtureBenchmark benchmark = new MixtureBenchmark();
                benchmark.sources = sources;
                benchmark.jitter = jitter;
                benchmark.create();
                double position = Double.MAX_VALUE;
                double seek = Double.MAX_VALUE;
                long sum = 0;
                for (int round = 0; round < 10; round++) {
                    long start = threads.getCurrentThreadCpuTime();
                    for (int i = 0; i < EPOCH; i++) {
                        sum += benchmark.nextPosition();
                    }
                    long middle = threads.getCurrentThreadCpuTime();
                    sum += benchmark.seek();
                    position = Math.min(position, (middle - start) / (double) EPOCH);
                    seek = Math.min(seek, (threads.getCurrentThreadCpuTime() - middle) / 1e6);
                }
                System.out.printf(
                        Locale.ROOT,
                        "%d sources, jitter %d: %.0f ns a position, %.1f ms a seek (sum %d)%n",
                        sources,
                        jitter,
                        position,
                        seek,
                        sum);
            }
        }
    }
}
