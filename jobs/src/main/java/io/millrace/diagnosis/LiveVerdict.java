package io.millrace.diagnosis;

import io.millrace.rest.JobReading;
import io.millrace.rest.TaskReading;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A verdict on a running job, computed from its readings in the order of time. Not thread-safe. */
public final class LiveVerdict {
    /** The length of the window of readings: long enough to be steady, short enough to show a change soon. */
    private static final double WINDOW_MILLIS = 10_000;

    /** The time after the first step that does not count, because the JVM still compiles the busy code. */
    private static final double WARM_UP_MILLIS = 3_000;

    private final Setting setting;
    private final Deque<JobReading> window = new ArrayDeque<>();
    private double startedMillis = Double.NaN;
    private @Nullable JobReading warm;

    /** Creates a verdict without readings. */
    public LiveVerdict(Setting setting) {
        this.setting = setting;
    }

    /** Adds a reading and returns the measurement over the last seconds; empty while too little is known. */
    public Optional<Measurement> next(JobReading reading) {
        Double clock = reading.trainer().clockMillis();
        Long samples = reading.trainer().samples();
        if (clock == null || samples == null || samples == 0) {
            return Optional.empty();
        }
        JobReading last = window.peekLast();
        if (last != null && (restarted(last, clock, samples) || rescaled(last, reading))) {
            window.clear();
            warm = null;
            startedMillis = Double.NaN;
        }
        startedMillis = Double.isNaN(startedMillis) ? clock : startedMillis;
        if (warm == null && clock - startedMillis >= WARM_UP_MILLIS) {
            warm = reading;
        }
        window.addLast(reading);
        while (window.size() > 2 && clock - clock(window.peekFirst()) > WINDOW_MILLIS) {
            window.removeFirst();
        }
        return Measurement.of(window.getFirst(), reading, setting);
    }

    /**
     * Returns whether the training operator has restarted since the last reading: its clock is that of another machine, or its
     * counters went back.
     */
    private static boolean restarted(JobReading last, double clock, long samples) {
        Long before = last.trainer().samples();
        return clock < clock(last) || (before != null && samples < before);
    }

    /** Returns whether the parallelism has changed: then it is another attempt, even when its counters did not go back. */
    private static boolean rescaled(JobReading last, JobReading reading) {
        return !last.tasks().isEmpty()
                && !reading.tasks().isEmpty()
                && !parallelisms(last).equals(parallelisms(reading));
    }

    private static List<Integer> parallelisms(JobReading reading) {
        return reading.tasks().stream().map(TaskReading::parallelism).toList();
    }

    private static double clock(@Nullable JobReading reading) {
        Double clock = reading == null ? null : reading.trainer().clockMillis();
        return clock == null ? Double.NaN : clock;
    }

    /** Returns the measurement of everything after the warm-up; empty for a run that ended before. */
    public Optional<Measurement> whole() {
        JobReading last = window.peekLast();
        return warm == null || last == null ? Optional.empty() : Measurement.of(warm, last, setting);
    }
}
