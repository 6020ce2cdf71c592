package io.millrace.metrics;

import io.millrace.trace.Recording;
import io.millrace.trace.Trace;
import io.millrace.trace.TraceFile;
import io.millrace.trace.Track;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * The timers and counters of one stage in one subtask. {@link Figures} explains how to read them.
 *
 * <p>Only the task's thread writes. Flink's reporters read on their own threads and may see a value that is one record old.
 */
public final class StageMetrics implements AutoCloseable {
    /** The values at one moment: times in nanoseconds, counts, and bytes. */
    public record Totals(
            long ownNanos, long cpuNanos, long waitInNanos, long waitOutNanos, long records, long bytes, long failures)
            implements Serializable {}

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /**
     * The number of calls from one reading of the CPU time to the next. The system call costs about 300 ns, and System.nanoTime
     * costs 20 ns.
     */
    private static final int CPU_SAMPLING = 16;

    /** After a call of this length, the CPU time of the next call is read too: the cost of reading it is small beside it. */
    private static final long SLOW_NANOS = 100_000;

    /** The text that Flink puts before the name of a source. */
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

    /** Volatile, because reporters must see at once that another value is valid. */
    private volatile boolean onOtherThreads;

    private long coreWaitNanos;
    private boolean coreWaitUnknown;

    private final String stage;

    private final FigureGroup figures;

    /** Returns the profile of the user's code, or null. */
    private Supplier<@Nullable CodeProfile> code = () -> null;

    private final Trace.Share share;

    /** Null where nothing is recorded. */
    private final @Nullable Track track;

    private long startedNanos;
    private long startedCpuNanos;
    private long workedNanos;
    private long leftNanos = -1;
    private boolean cpuSampled;

    /** The time of the work that an earlier stage has done on the current sample for this stage, and for later ones. */
    private long doneNanos;

    private long doneLaterNanos;
    private long doneCpuNanos = -1;

    /** The CPU time that another process spent on the current sample. */
    private long elsewhereCpuNanos;

    private long lastNanos;

    /** Registers the metrics of a stage that takes part in no recording. */
    public StageMetrics(MetricGroup operatorGroup) {
        this(operatorGroup, null);
    }

    /**
     * Registers the metrics under the operator's group. The thread that the stage works on must call it.
     *
     * @param recording the recording in which the stage takes part until it is closed; null for none
     */
    public StageMetrics(MetricGroup operatorGroup, @Nullable Recording recording) {
        share = RecordedTask.join(operatorGroup, recording);
        track = Trace.track();
        String operator = operatorGroup.getAllVariables().get("<operator_name>");
        stage = operator == null
                ? "stage"
                : operator.startsWith(SOURCE) ? operator.substring(SOURCE.length()) : operator;
        figures = new FigureGroup(operatorGroup);
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

    /**
     * Registers the profile of the user's code that the stage calls.
     *
     * @param code returns the profile until now on any thread, or null if the stage calls no code of the user
     */
    public void callsCode(Supplier<@Nullable CodeProfile> code) {
        if (code.get() != null) {
            this.code = code;
            figures.add(code);
        }
    }

    /**
     * Registers the use of the stage's cache.
     *
     * @param use returns the use until now on any thread, or null if the stage has no cache
     */
    public void caches(Supplier<@Nullable CacheUse> use) {
        if (use.get() != null) {
            figures.add(Figures.CACHE_HITS, () -> {
                CacheUse now = use.get();
                return now == null ? Double.NaN : now.share();
            });
        }
    }

    /** Declares that other threads do the stage's work; their waits for a core arrive by {@link #addCoreWait}. */
    public void worksOnOtherThreads() {
        onOtherThreads = true;
    }

    /** Records that a sample has arrived: own time begins. */
    public void received() {
        received(0, -1, 0);
    }

    /**
     * Records that a sample has arrived on which an earlier stage, in the same thread, has already done work of this stage.
     *
     * @param nanos the time of this work, at least 0
     * @param cpuNanos its CPU time; -1 where it was not measured
     * @param laterNanos the time of the work that the earlier stage has done after it, for later stages
     */
    public void received(long nanos, long cpuNanos, long laterNanos) {
        doneNanos = nanos;
        doneCpuNanos = cpuNanos;
        doneLaterNanos = laterNanos;
        startedNanos = System.nanoTime();
        if (leftNanos >= 0) {
            waitInNanos += startedNanos - leftNanos - nanos - laterNanos;
        }
        cpuSampled = calls++ % CPU_SAMPLING == 0 || lastNanos >= SLOW_NANOS;
        if (cpuSampled) {
            startedCpuNanos = THREADS.getCurrentThreadCpuTime();
        }
    }

    /** Adds the CPU time that another process spent on the current sample, while this thread waited for it. */
    public void workedElsewhere(long cpuNanos) {
        elsewhereCpuNanos = cpuNanos;
    }

    /** Records that the work is done, with that many bytes of field data: own time ends, and handing on begins. */
    public void worked(long producedBytes) {
        worked(1, producedBytes, 0, false);
    }

    /** Records that the work on several samples that arrived together is done, as {@link #worked(long)} does for one. */
    public void workedOn(int samples, long producedBytes) {
        worked(samples, producedBytes, 0, false);
    }

    /**
     * Records that the work is done, a part of which was work of later stages.
     *
     * @param laterNanos the time of this part, at least 0
     * @param inThread whether this thread did that part, and not another process
     * @return the CPU time of that part in this thread; -1 where it was not measured
     */
    public long workedAhead(long producedBytes, long laterNanos, boolean inThread) {
        return worked(1, producedBytes, laterNanos, inThread);
    }

    private long worked(int samples, long producedBytes, long laterNanos, boolean inThread) {
        long cpuNanos = cpuSampled ? THREADS.getCurrentThreadCpuTime() - startedCpuNanos + elsewhereCpuNanos : 0;
        elsewhereCpuNanos = 0;
        long endedNanos = System.nanoTime();
        lastNanos = endedNanos - startedNanos;
        long laterCpuNanos = inThread ? (long) ((double) cpuNanos * laterNanos / Math.max(1, lastNanos)) : 0;
        // The part of later stages counts as the time of handing on.
        workedNanos = endedNanos - laterNanos - doneLaterNanos;
        long took = lastNanos - laterNanos + doneNanos;
        ownNanos += took;
        if (cpuSampled) {
            sampledCpuNanos += cpuNanos - laterCpuNanos;
            sampledOwnNanos += lastNanos - laterNanos;
        }
        if (doneCpuNanos >= 0) {
            sampledCpuNanos += doneCpuNanos;
            sampledOwnNanos += doneNanos;
        }
        ownNanosPerRecord.update(took / samples, samples);
        records += samples;
        bytes += producedBytes;
        if (track != null) {
            track.add(stage, startedNanos - doneNanos - doneLaterNanos, workedNanos);
        }
        return cpuSampled ? laterCpuNanos : -1;
    }

    /** Ends the stage's part in the recording; the figures stay. */
    @Override
    public void close() {
        share.close();
    }

    /** Records that the sample was handed on: waiting for the next one begins. */
    public void handedOn() {
        leftNanos = System.nanoTime();
        waitOutNanos += leftNanos - workedNanos;
    }

    /**
     * Records that samples were handed on between the arrivals of two samples, for example by a timer or before a checkpoint, or
     * after work on other threads. The wait for input begins again now. Both times are by {@link System#nanoTime}.
     *
     * @param calledNanos when the wait for input ended
     * @param beganNanos when handing on began, at least {@code calledNanos}
     */
    public void handedOnBetween(long calledNanos, long beganNanos) {
        if (leftNanos >= 0) {
            waitInNanos += Math.max(0, calledNanos - leftNanos); // one call may hand on several samples
        }
        leftNanos = System.nanoTime();
        waitOutNanos += leftNanos - beganNanos;
    }

    /**
     * Hands on a micro-batch. The CPU time, for example for writing into the network's buffers, is counted as the stage's work.
     * The rest of the time is counted as waiting for room.
     *
     * @param microBatch the number of the micro-batch in the run, at least 0
     */
    public void handOn(long microBatch, Runnable handing) {
        long beganNanos = System.nanoTime();
        long began = THREADS.getCurrentThreadCpuTime();
        handing.run();
        if (track != null) {
            track.addForMicroBatch(microBatch, TraceFile.PASS_ON, beganNanos, System.nanoTime());
        }
        long took = THREADS.getCurrentThreadCpuTime() - began;
        ownNanos += took;
        sampledOwnNanos += took;
        sampledCpuNanos += took;
        waitOutNanos -= took; // handedOn adds the whole time, this part included
    }

    /** Adds work that was measured elsewhere, for example on I/O threads. */
    public void addWork(long wallNanos, long cpuNanos, long handled, long producedBytes) {
        ownNanos += wallNanos;
        sampledOwnNanos += wallNanos;
        sampledCpuNanos += cpuNanos;
        records += handled;
        bytes += producedBytes;
    }

    /** Adds the own time of each of several samples whose work {@link #addWork} adds. */
    public void addRecords(long nanos, int samples) {
        ownNanosPerRecord.update(nanos, samples);
    }

    /** Adds the wait for a core of work that was measured elsewhere. Once a wait is unknown, the sum stays unknown. */
    public void addCoreWait(OptionalLong nanos) {
        coreWaitUnknown |= nanos.isEmpty();
        coreWaitNanos += nanos.orElse(0);
    }

    public void addWaitIn(long nanos) {
        waitInNanos += nanos;
    }

    /** Records that the stage quarantined a sample. */
    public void failed() {
        failures++;
    }

    /** Returns the name of the stage. */
    String stage() {
        return stage;
    }

    /** Returns all figures at this moment, as those of one slot. The thread of the stage calls it. */
    StageFigures figures() {
        return StageFigures.ofSlot(figures.numbers(), ownNanosPerRecord.copy(), code.get());
    }

    public Totals totals() {
        return new Totals(ownNanos, cpuNanos(), waitInNanos, waitOutNanos, records, bytes, failures);
    }

    /** Reads the wait on the reporter's thread, because the task's thread has no time to read it for each sample. */
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

    /** Scales the sampled CPU time by own time, not by count, because samples differ in size. */
    private long cpuNanos() {
        return sampledOwnNanos == 0 ? 0 : (long) ((double) sampledCpuNanos / sampledOwnNanos * ownNanos);
    }
}
