package io.millrace.source;

import io.millrace.metrics.CoreWait;
import io.millrace.metrics.StageMetrics;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleRows;
import io.millrace.sample.Samples;
import io.millrace.sample.Split;
import io.millrace.sample.StoredRows;
import io.millrace.trace.Trace;
import io.millrace.trace.Track;
import java.io.IOException;
import java.io.UncheckedIOException;
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
 *
 * <p>Tested by {@code SampleBlockTest} and {@code RangeReaderTest}.
 */
final class SampleBlock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The most rows of a record: they are still in the CPU's cache when the next stage has them. */
    private static final int MOST_ROWS = 128;

    private final Range range;
    private final ArrayDeque<Samples> samples = new ArrayDeque<>();
    private long wallNanos;
    private long cpuNanos;
    private long bytes;

    /** The bytes of values that were read; stored values are read by a later stage. */
    private long bytesRead;

    /** The number of samples of each record, and the time that reading one of them took. */
    private int[] recordSamples = new int[8];

    private long[] recordNanos = new long[8];

    private int records;

    /** Null when the task's thread read the samples, because that thread's wait for a core is measured elsewhere. */
    private @Nullable OptionalLong coreWait;

    private long remoteCoreWaitNanos;

    private int count;
    private int badSamples;

    private SampleBlock(Range range) {
        this.range = range;
    }

    /**
     * Reads a whole range on the calling thread, which is not the task's. The time for which the thread waited for a
     * core is measured, too.
     *
     * @param inRows whether samples may be read in rows
     * @param abandoned returns true when the block is no longer needed. It is called before each record, and the block
     *     then ends there
     */
    static SampleBlock whole(PositionReader reader, Range range, boolean inRows, BooleanSupplier abandoned)
            throws IOException {
        CoreWait thread = CoreWait.ofThisThread();
        SampleBlock block = read(reader, range, range.from(), Integer.MAX_VALUE, Long.MAX_VALUE, inRows, abandoned);
        OptionalLong waited = thread.nanos();
        block.coreWait = waited.isEmpty() ? waited : OptionalLong.of(waited.getAsLong() + block.remoteCoreWaitNanos);
        return block;
    }

    /**
     * Reads samples on the calling thread, from a position on. The block ends with the range, at {@code mostSamples}
     * samples, or when at least {@code enoughBytes} bytes have been read. The values of rows are read when they are copied.
     *
     * @param inRows whether samples may be read in rows
     */
    static SampleBlock read(
            PositionReader reader, Range range, long from, int mostSamples, long enoughBytes, boolean inRows)
            throws IOException {
        return read(reader, range, from, mostSamples, enoughBytes, inRows, () -> false);
    }

    private static SampleBlock read(
            PositionReader reader,
            Range range,
            long from,
            int mostSamples,
            long enoughBytes,
            boolean inRows,
            BooleanSupplier abandoned)
            throws IOException {
        try {
            return fill(reader, range, from, mostSamples, enoughBytes, inRows, abandoned);
        } catch (UncheckedIOException e) { // an order may read files, and its methods have no checked exceptions
            throw e.getCause();
        }
    }

    private static SampleBlock fill(
            PositionReader reader,
            Range range,
            long from,
            int mostSamples,
            long enoughBytes,
            boolean inRows,
            BooleanSupplier abandoned)
            throws IOException {
        SampleBlock block = new SampleBlock(range);
        PositionSequence sequence = reader.sequence(from, from + Math.min(mostSamples, range.to() - from));
        long startedNanos = System.nanoTime();
        long startedCpuNanos = THREADS.getCurrentThreadCpuTime();
        long beganNanos = startedNanos;
        Track track = Trace.track();
        long singlyUntil = inRows ? from : Long.MAX_VALUE;
        long position = from;
        int together = 0;
        long togetherNanos = 0;
        long queuedNanos = 0;
        while (position < range.to()
                && block.count < mostSamples
                && block.bytesRead < enoughBytes
                && !abandoned.getAsBoolean()) {
            Samples read = null;
            if (position >= singlyUntil) {
                int most = (int) Math.min(MOST_ROWS, Math.min(range.to() - position, mostSamples - block.count));
                read = reader.rows(position, most);
                singlyUntil = read == null ? position + most : singlyUntil;
            }
            if (read == null) {
                if (!sequence.await(position)) {
                    continue; // it may have been abandoned in between
                }
                read = sequence.read(position);
            }
            block.add(read);
            long now = System.nanoTime();
            long queued = sequence.queuedNanos();
            long spentNanos = Math.max(0, now - beganNanos - (queued - queuedNanos));
            if (reader.isMixture() && read instanceof Sample sample && sample.split() == Split.TRAIN) {
                reader.spent(sample.source(), spentNanos);
            }
            together += read.count();
            togetherNanos += spentNanos;
            queuedNanos = queued;
            if (sequence.obtained() == 0) {
                block.recordTimeOfLast(together, togetherNanos);
                together = 0;
                togetherNanos = 0;
            }
            if (track != null) {
                track.add("read", beganNanos, now);
            }
            beganNanos = now;
            position += read.count();
        }
        if (together > 0) {
            block.recordTimeOfLast(together, togetherNanos);
        }
        block.cpuNanos = THREADS.getCurrentThreadCpuTime() - startedCpuNanos + sequence.remoteCpuNanos();
        block.remoteCoreWaitNanos = sequence.remoteCoreWaitNanos();
        block.wallNanos = Math.max(0, System.nanoTime() - startedNanos - queuedNanos);
        return block;
    }

    private void recordTimeOfLast(int read, long nanos) {
        if (records == recordNanos.length) {
            recordNanos = Arrays.copyOf(recordNanos, 2 * records);
            recordSamples = Arrays.copyOf(recordSamples, 2 * records);
        }
        recordNanos[records] = nanos / read;
        recordSamples[records] = read;
        records++;
    }

    private void add(Samples read) {
        samples.add(read);
        count += read.count();
        if (read instanceof Sample sample) {
            badSamples += sample.badSample() == null ? 0 : 1;
            for (String name : sample.fieldNames()) {
                Field field = sample.field(name);
                bytes += field.bytes();
                bytesRead += field.stored() == null ? field.bytes() : 0;
            }
        } else if (read instanceof SampleRows rows) {
            for (StoredRows.Column column : rows.stored().columns()) {
                bytes += rows.count() * column.bytes();
            }
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

    /** Removes and returns the next samples in order of position; null when the block is empty. */
    @Nullable
    Samples poll() {
        return samples.poll();
    }

    /** Returns whether all samples have been removed. */
    boolean isEmpty() {
        return samples.isEmpty();
    }

    /** Adds the cost of reading to the metrics. The task's thread calls this, because it owns the metrics. */
    void addTo(StageMetrics metrics) {
        metrics.addWork(wallNanos, cpuNanos, count, bytes);
        for (int i = 0; i < records; i++) {
            metrics.addRecords(recordNanos[i], recordSamples[i]);
        }
        if (coreWait != null) {
            metrics.worksOnOtherThreads();
            metrics.addCoreWait(coreWait);
        }
        for (int i = 0; i < badSamples; i++) {
            metrics.failed();
        }
    }
}
