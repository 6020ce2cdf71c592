package io.millrace.transform;

import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** One sample that a thread of {@link TransformWorkers} works on, and the result. */
final class TransformWork {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Sample sample;
    private final CompletableFuture<Result> result = new CompletableFuture<>();

    /**
     * What the work was.
     *
     * @param good whether the sample is still good
     * @param nanos the time of the work, that on later stages included
     * @param cpuNanos the CPU time of this stage's work, that of other processes included
     * @param done the work of this stage and of later ones; null when it is that of this stage alone
     */
    record Result(
            boolean good,
            long nanos,
            long cpuNanos,
            @Nullable StageDone done) {}

    /** Creates the work on a sample, which belongs to the work until it is done. */
    TransformWork(Sample sample) {
        this.sample = sample;
    }

    /** Works on the sample in the calling thread, which {@code transform} serves. */
    void apply(PlacedTransform transform) {
        long began = System.nanoTime();
        long beganCpu = THREADS.getCurrentThreadCpuTime();
        try {
            boolean good = transform.apply(sample);
            sample.keep(); // the transform goes on with another sample, while this one may wait for its turn
            long cpu = THREADS.getCurrentThreadCpuTime() - beganCpu + transform.remoteCpuNanos();
            result.complete(new Result(good, System.nanoTime() - began, cpu, good ? transform.done() : null));
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e); // the task's thread throws it
        }
    }

    boolean isDone() {
        return result.isDone();
    }

    /** Waits for the result, and throws what the transform threw. */
    Result await() throws InterruptedException {
        try {
            return result.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("a transform cannot throw this", e.getCause());
        }
    }
}
