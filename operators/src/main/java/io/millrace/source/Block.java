package io.millrace.source;

import io.millrace.metrics.CoreWait;
import io.millrace.metrics.StageMetrics;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.trace.Trace;
import io.millrace.trace.Track;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive samples of one range, read and waiting to be emitted, with what reading them took. Made by one thread,
 * then owned by another.
 */
final class Block {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Range range;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();
    private long wallNanos;
    private long cpuNanos;
    private long bytes;
    private long[] sampleNanos = new long[8];

    /** Null where the task's thread read, which measures that itself. */
    private @Nullable OptionalLong coreWait;

    private int count;
    private int badSamples;

    private Block(Range range) {
        this.range = range;
    }

    /** Reads a whole range on the calling thread, which is not the task's: what it waited for a core is measured, too. */
    static Block whole(PositionReader reader, Range range) throws IOException {
        CoreWait thread = CoreWait.ofThisThread();
        Block block = read(reader, range, range.from(), Integer.MAX_VALUE, Long.MAX_VALUE);
        block.coreWait = thread.nanos();
        return block;
    }

    /**
     * Reads on the calling thread, from a position to the end of the range, or until there are so many samples, or so
     * many bytes.
     */
    static Block read(PositionReader reader, Range range, long from, int mostSamples, long enoughBytes)
            throws IOException {
        Block block = new Block(range);
        long startedNanos = System.nanoTime();
        long startedCpuNanos = THREADS.getCurrentThreadCpuTime();
        long beganNanos = startedNanos;
        Track track = Trace.track();
        for (long position = from;
                position < range.to() && block.count < mostSamples && block.bytes < enoughBytes;
                position++) {
            block.add(reader.read(position));
            long now = System.nanoTime();
            block.tookLast(now - beganNanos);
            if (track != null) {
                track.add("read", beganNanos, now);
            }
            beganNanos = now;
        }
        block.cpuNanos = THREADS.getCurrentThreadCpuTime() - startedCpuNanos;
        block.wallNanos = System.nanoTime() - startedNanos;
        return block;
    }

    private void tookLast(long nanos) {
        if (count > sampleNanos.length) {
            sampleNanos = Arrays.copyOf(sampleNanos, 2 * sampleNanos.length);
        }
        sampleNanos[count - 1] = nanos;
    }

    private void add(Sample sample) {
        samples.add(sample);
        count++;
        if (sample.badSample() != null) {
            badSamples++;
        }
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            bytes += field.data().length;
        }
    }

    /** The range that the samples are of. */
    Range range() {
        return range;
    }

    /** How many samples were read. */
    int count() {
        return count;
    }

    /** Takes the next sample out, in order of position; null when all were taken. */
    @Nullable
    Sample take() {
        return samples.poll();
    }

    /** Whether all samples were taken. */
    boolean isEmpty() {
        return samples.isEmpty();
    }

    /** Books what reading took; the metrics belong to the task's thread, which calls this. */
    void book(StageMetrics metrics) {
        metrics.addWork(wallNanos, cpuNanos, count, bytes);
        for (int i = 0; i < count; i++) {
            metrics.addRecord(sampleNanos[i]);
        }
        if (coreWait != null) {
            metrics.addCoreWait(coreWait);
        }
        for (int i = 0; i < badSamples; i++) {
            metrics.failed();
        }
    }
}
