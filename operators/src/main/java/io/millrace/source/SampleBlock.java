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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive samples of one range that have been read and wait to be emitted, with the cost of reading them. One
 * thread fills a block, and then another thread owns it.
 */
final class SampleBlock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Range range;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();
    private long wallNanos;
    private long cpuNanos;
    private long bytes;

    /** The bytes of values that were read; stored values are read by a later stage. */
    private long bytesRead;

    private long[] sampleNanos = new long[8];

    /** Null when the task's thread read the samples, because that thread's wait for a core is measured elsewhere. */
    private @Nullable OptionalLong coreWait;

    private int count;
    private int badSamples;

    private SampleBlock(Range range) {
        this.range = range;
    }

    /**
     * Reads a whole range on the calling thread, which is not the task's. The time for which the thread waited for a
     * core is measured, too.
     *
     * @param abandoned returns true when the block is no longer needed. It is called before each sample, and the block
     *     then ends there
     */
    static SampleBlock whole(PositionReader reader, Range range, BooleanSupplier abandoned) throws IOException {
        CoreWait thread = CoreWait.ofThisThread();
        SampleBlock block = read(reader, range, range.from(), Integer.MAX_VALUE, Long.MAX_VALUE, abandoned);
        block.coreWait = thread.nanos();
        return block;
    }

    /**
     * Reads samples on the calling thread, from a position on. The block ends with the range, at {@code mostSamples}
     * samples, or when at least {@code enoughBytes} bytes have been read.
     */
    static SampleBlock read(PositionReader reader, Range range, long from, int mostSamples, long enoughBytes)
            throws IOException {
        return read(reader, range, from, mostSamples, enoughBytes, () -> false);
    }

    private static SampleBlock read(
            PositionReader reader, Range range, long from, int mostSamples, long enoughBytes, BooleanSupplier abandoned)
            throws IOException {
        SampleBlock block = new SampleBlock(range);
        long startedNanos = System.nanoTime();
        long startedCpuNanos = THREADS.getCurrentThreadCpuTime();
        long beganNanos = startedNanos;
        Track track = Trace.track();
        for (long position = from;
                position < range.to()
                        && block.count < mostSamples
                        && block.bytesRead < enoughBytes
                        && !abandoned.getAsBoolean();
                position++) {
            block.add(reader.read(position));
            long now = System.nanoTime();
            block.recordTimeOfLast(now - beganNanos);
            if (track != null) {
                track.add("read", beganNanos, now);
            }
            beganNanos = now;
        }
        block.cpuNanos = THREADS.getCurrentThreadCpuTime() - startedCpuNanos;
        block.wallNanos = System.nanoTime() - startedNanos;
        return block;
    }

    private void recordTimeOfLast(long nanos) {
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
            bytes += field.bytes();
            bytesRead += field.stored() == null ? field.bytes() : 0;
        }
    }

    /** Returns the range that the samples belong to. */
    Range range() {
        return range;
    }

    /** Returns the number of samples that were read. */
    int count() {
        return count;
    }

    /** Removes and returns the next sample in order of position; null when the block is empty. */
    @Nullable
    Sample poll() {
        return samples.poll();
    }

    /** Returns whether all samples have been removed. */
    boolean isEmpty() {
        return samples.isEmpty();
    }

    /** Adds the cost of reading to the metrics. The task's thread calls this, because it owns the metrics. */
    void addTo(StageMetrics metrics) {
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
