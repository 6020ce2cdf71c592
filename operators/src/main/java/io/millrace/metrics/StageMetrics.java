package io.millrace.metrics;

import io.millrace.trace.Recording;
import io.millrace.trace.Trace;
import io.millrace.trace.TraceFile;
import io.millrace.trace.Track;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.OptionalLong;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * The timers and counters of one stage in one subtask.
 *
 * <p>The task's thread alone writes; Flink's reporters read from their own threads and may see a value that is one
 * record old. How to read the numbers: {@link Figures}.
 */
public final class StageMetrics implements AutoCloseable {
    /** The values at one moment, in nanoseconds, counts and bytes. */
    public record Totals(
            long ownNanos, long cpuNanos, long waitInNanos, long waitOutNanos, long records, long bytes, long failures)
            implements Serializable {}

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** One call in so many has its CPU time read: the system call costs about 300 ns, System.nanoTime 20. */
    private static final int CPU_SAMPLING = 16;

    /** After a call this long the next has its CPU time read as well, which then costs nothing beside it. */
    private static final long SLOW_NANOS = 100_000;

    /** What Flink puts before the name of a source. */
    private static final String SOURCE = "Source: ";

    private static final double NANOS_PER_SECOND = 1e9;

    private long ownNanos;
    private long waitInNanos;
    private long waitOutNanos;
    private long sampledOwnNanos;
    private long sampledCpuNanos;
    private long records;
    private long bytes;
    private long failures;
    private long calls;

    private final NanosHistogram ownNanosPerRecord = new NanosHistogram();
    private final CoreWait thread = CoreWait.ofThisThread();

    /** Volatile: reporters must see at once that they read another value. */
    private volatile boolean onOtherThreads;

    private long coreWaitNanos;
    private boolean coreWaitUnknown;

    private final String stage;

    private final Trace.Share share;

    /** Null where nothing is recorded. */
    private final @Nullable Track track;

    private long startedNanos;
    private long startedCpuNanos;
    private long workedNanos;
    private long leftNanos = -1;
    private boolean cpuSampled;
    private long lastNanos;

    /** As the other constructor, where nothing is recorded. */
    public StageMetrics(MetricGroup operatorGroup) {
        this(operatorGroup, null);
    }

    /**
     * Registers the metrics under the operator's group. To be called by the thread that the stage works on.
     *
     * @param recording in which the stage takes part until it is closed; null: in none
     */
    public StageMetrics(MetricGroup operatorGroup, @Nullable Recording recording) {
        share = RecordedTask.join(operatorGroup, recording);
        track = Trace.track();
        String operator = operatorGroup.getAllVariables().get("<operator_name>");
        stage = operator == null
                ? "stage"
                : operator.startsWith(SOURCE) ? operator.substring(SOURCE.length()) : operator;
        FigureGroup figures = new FigureGroup(operatorGroup);
        figures.add(Figures.RECORDS, () -> records);
        figures.add(Figures.OWN_NANOS, () -> ownNanos);
        figures.add(Figures.CPU_NANOS, this::cpuNanos);
        figures.add(Figures.WAIT_IN_NANOS, () -> waitInNanos);
        figures.add(Figures.WAIT_OUT_NANOS, () -> waitOutNanos);
        figures.add(Figures.BYTES_PRODUCED, () -> bytes);
        figures.add(Figures.FAILURES, () -> failures);
        figures.add(Figures.CORE_WAIT_NANOS, this::coreWaitNanos);
        figures.add(Figures.RECORDS_PER_OWN_SECOND, this::recordsPerOwnSecond);
        figures.add(Figures.OWN_NANOS_PER_RECORD, ownNanosPerRecord);
    }

    /** The stage's work is done by other threads, and what they waited for a core comes with their work. */
    public void worksOnOtherThreads() {
        onOtherThreads = true;
    }

    /** A record has arrived: own time begins. */
    public void received() {
        startedNanos = System.nanoTime();
        if (leftNanos >= 0) {
            waitInNanos += startedNanos - leftNanos;
        }
        cpuSampled = calls++ % CPU_SAMPLING == 0 || lastNanos >= SLOW_NANOS;
        if (cpuSampled) {
            startedCpuNanos = THREADS.getCurrentThreadCpuTime();
        }
    }

    /** The work is done and {@code producedBytes} of field data result: own time ends, handing on begins. */
    public void worked(long producedBytes) {
        worked(1, producedBytes);
    }

    /** As {@link #worked(long)}, where what was received holds several samples. */
    public void worked(long samples, long producedBytes) {
        if (cpuSampled) {
            sampledCpuNanos += THREADS.getCurrentThreadCpuTime() - startedCpuNanos;
        }
        workedNanos = System.nanoTime();
        long took = workedNanos - startedNanos;
        lastNanos = took;
        ownNanos += took;
        if (cpuSampled) {
            sampledOwnNanos += took;
        }
        if (samples == 1) {
            ownNanosPerRecord.update(took);
        } else if (samples > 1) {
            ownNanosPerRecord.update(took / samples, samples);
        }
        records += samples;
        bytes += producedBytes;
        if (track != null) {
            track.add(stage, startedNanos, workedNanos);
        }
    }

    /** What this thread did is not recorded any more; the figures stay. */
    @Override
    public void close() {
        share.close();
    }

    /** The record is handed on: waiting for the next begins. */
    public void handedOn() {
        leftNanos = System.nanoTime();
        waitOutNanos += leftNanos - workedNanos;
    }

    /**
     * Records were handed on between two records' turns, as by a timer or before a checkpoint: waiting in ended when
     * that began, and begins again.
     *
     * @param beganNanos when handing on began, as {@link System#nanoTime} counts
     */
    public void handedOnBetween(long beganNanos) {
        if (leftNanos >= 0) {
            waitInNanos += beganNanos - leftNanos;
        }
        leftNanos = System.nanoTime();
        waitOutNanos += leftNanos - beganNanos;
    }

    /**
     * Hands on something large: what that takes of the processor, as writing it into the network's buffers does, is the
     * stage's work; the rest of the time is waiting for room.
     *
     * @param microBatch its number in the run, at least 0
     */
    public void handOn(long microBatch, Runnable handing) {
        long beganNanos = System.nanoTime();
        long began = THREADS.getCurrentThreadCpuTime();
        handing.run();
        if (track != null) {
            track.addOf(microBatch, TraceFile.HAND_ON, beganNanos, System.nanoTime());
        }
        long took = THREADS.getCurrentThreadCpuTime() - began;
        ownNanos += took;
        sampledOwnNanos += took;
        sampledCpuNanos += took;
        waitOutNanos -= took; // it is part of the time until handedOn
    }

    /** Adds work that was measured elsewhere, as by reading threads. */
    public void addWork(long wallNanos, long cpuNanos, long handled, long producedBytes) {
        ownNanos += wallNanos;
        sampledOwnNanos += wallNanos;
        sampledCpuNanos += cpuNanos;
        records += handled;
        bytes += producedBytes;
    }

    /** Adds what one of the records took whose work is added by {@link #addWork}. */
    public void addRecord(long nanos) {
        ownNanosPerRecord.update(nanos);
    }

    /** Adds for how long work that was measured elsewhere waited for a core; unknown once is unknown for good. */
    public void addCoreWait(OptionalLong nanos) {
        coreWaitUnknown |= nanos.isEmpty();
        coreWaitNanos += nanos.orElse(0);
    }

    public void addWaitIn(long nanos) {
        waitInNanos += nanos;
    }

    public void addWaitOut(long nanos) {
        waitOutNanos += nanos;
    }

    /** A sample was quarantined here. */
    public void failed() {
        failures++;
    }

    public Totals totals() {
        return new Totals(ownNanos, cpuNanos(), waitInNanos, waitOutNanos, records, bytes, failures);
    }

    /** Reporters ask for it, on their threads: the task's thread has no time to look at each record. */
    private double coreWaitNanos() {
        if (onOtherThreads) {
            return coreWaitUnknown ? Double.NaN : coreWaitNanos;
        }
        OptionalLong nanos = thread.nanos();
        return nanos.isPresent() ? nanos.getAsLong() : Double.NaN;
    }

    private double recordsPerOwnSecond() {
        return records == 0 || ownNanos == 0 ? Double.NaN : records * NANOS_PER_SECOND / ownNanos;
    }

    /** What was not sampled is scaled by time, not by count: samples differ in size. */
    private long cpuNanos() {
        return sampledOwnNanos == 0 ? 0 : (long) ((double) sampledCpuNanos / sampledOwnNanos * ownNanos);
    }
}
