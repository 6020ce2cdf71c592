package io.millrace.diagnosis;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The slowdown of a core when all others are busy too. Hardware threads share the units of one core, and all cores share
 * caches, memory and the power of the chip. Then the same work takes more CPU time.
 *
 * @param likely the additional share of CPU time that typical work needs, at least 0
 * @param most the largest share to expect, at least {@code likely}
 */
public record CoreSlowdown(double likely, double most) {
    /**
     * The assumed slowdown of a machine that was not measured. The largest share is that of two threads on one core.
     */
    public static final CoreSlowdown UNKNOWN = new CoreSlowdown(0.1, 0.5);

    /** Work depends on shared units to different degrees, so it may be slowed down this many times as much as the test. */
    private static final double MARGIN = 1.5;

    /** The number of floats that the test works on: 256 kB, so that they fit into the cache of one core. */
    private static final int FLOATS = 1 << 16;

    private static final int PASSES = 40;
    private static final int REPETITIONS = 7;

    public CoreSlowdown {
        if (!(likely >= 0 && likely <= most)) {
            throw new IllegalArgumentException("expected 0 <= likely <= most, found " + likely + ", " + most);
        }
    }

    /**
     * Measures the slowdown on this machine. This takes some tenths of a second on all cores.
     *
     * @throws InterruptedException when the thread is interrupted
     */
    public static CoreSlowdown measure() throws InterruptedException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int cores = Runtime.getRuntime().availableProcessors();
        if (cores < 2 || !threads.isCurrentThreadCpuTimeSupported()) {
            return UNKNOWN;
        }
        ExecutorService pool = Executors.newFixedThreadPool(cores);
        try {
            compute(pool, threads, cores); // the JVM compiles the work
            double alone = Double.MAX_VALUE;
            double together = Double.MAX_VALUE;
            for (int i = 0; i < REPETITIONS; i++) {
                alone = Math.min(alone, compute(pool, threads, 1));
                together = Math.min(together, compute(pool, threads, cores));
            }
            double slowdown = Math.max(0, together / alone - 1);
            return new CoreSlowdown(slowdown, Math.max(UNKNOWN.likely, MARGIN * slowdown));
        } finally {
            pool.shutdownNow();
        }
    }

    /** Returns the mean CPU time of the work on a number of threads at the same time, in nanoseconds. */
    private static double compute(ExecutorService pool, ThreadMXBean threads, int count) throws InterruptedException {
        CyclicBarrier start = new CyclicBarrier(count);
        List<Future<Long>> times = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            times.add(pool.submit(() -> {
                float[] values = new float[FLOATS];
                start.await();
                long began = threads.getCurrentThreadCpuTime();
                float sum = work(values);
                long nanos = threads.getCurrentThreadCpuTime() - began;
                // The sum is used, so the JVM cannot leave the work out.
                return Float.isNaN(sum) ? 0 : nanos;
            }));
        }
        double nanos = 0;
        try {
            for (Future<Long> time : times) {
                nanos += time.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        return nanos / count;
    }

    /** Computes and moves memory about as pixel kernels and dense layers do. */
    private static float work(float[] values) {
        float sum = 0;
        for (int pass = 0; pass < PASSES; pass++) {
            for (int i = 0; i < values.length; i++) {
                values[i] = values[i] * 0.99f + pass;
            }
            sum += values[pass];
        }
        return sum;
    }
}
