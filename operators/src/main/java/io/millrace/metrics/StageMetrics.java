package io.millrace.metrics;

import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * The timers and counters of one stage in one subtask.
 *
 * <p>The task's thread alone writes; Flink's reporters read from their own threads and may see a value that is one
 * record old. How to read the numbers: {@link MetricNames}.
 */
public final class StageMetrics {
    /** The values at one moment, in nanoseconds, counts and bytes. */
    public record Totals(
            long ownNanos, long cpuNanos, long waitInNanos, long waitOutNanos, long records, long bytes, long failures)
            implements Serializable {}

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** One call in so many has its CPU time read: the system call costs about 300 ns, System.nanoTime 20. */
    private static final int CPU_SAMPLING = 16;

    private long ownNanos;
    private long waitInNanos;
    private long waitOutNanos;
    private long sampledOwnNanos;
    private long sampledCpuNanos;
    private long records;
    private long bytes;
    private long failures;
    private long calls;

    private long startedNanos;
    private long startedCpuNanos;
    private long workedNanos;
    private long leftNanos = -1;
    private boolean cpuSampled;

    /** Registers the metrics under the operator's group. */
    public StageMetrics(MetricGroup operatorGroup) {
        MetricGroup group = operatorGroup.addGroup(MetricNames.GROUP);
        group.gauge(MetricNames.OWN_NANOS, (Gauge<Long>) () -> ownNanos);
        group.gauge(MetricNames.WAIT_IN_NANOS, (Gauge<Long>) () -> waitInNanos);
        group.gauge(MetricNames.WAIT_OUT_NANOS, (Gauge<Long>) () -> waitOutNanos);
        group.gauge(MetricNames.CPU_NANOS, (Gauge<Long>) this::cpuNanos);
        group.gauge(MetricNames.RECORDS, (Gauge<Long>) () -> records);
        group.gauge(MetricNames.BYTES, (Gauge<Long>) () -> bytes);
        group.gauge(MetricNames.FAILURES, (Gauge<Long>) () -> failures);
    }

    /** A record has arrived: own time begins. */
    public void received() {
        startedNanos = System.nanoTime();
        if (leftNanos >= 0) {
            waitInNanos += startedNanos - leftNanos;
        }
        cpuSampled = calls++ % CPU_SAMPLING == 0;
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
        ownNanos += workedNanos - startedNanos;
        if (cpuSampled) {
            sampledOwnNanos += workedNanos - startedNanos;
        }
        records += samples;
        bytes += producedBytes;
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

    /** Adds work that was measured elsewhere, as by reading threads. */
    public void addWork(long wallNanos, long cpuNanos, long handled, long producedBytes) {
        ownNanos += wallNanos;
        sampledOwnNanos += wallNanos;
        sampledCpuNanos += cpuNanos;
        records += handled;
        bytes += producedBytes;
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

    /** Scaled by time, not by count: samples differ in size. */
    private long cpuNanos() {
        return sampledOwnNanos == 0 ? 0 : (long) ((double) sampledCpuNanos / sampledOwnNanos * ownNanos);
    }
}
