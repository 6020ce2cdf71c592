package io.millrace.diagnosis;

import io.millrace.rest.JobReading;
import io.millrace.rest.TaskReading;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Judges a job as it runs, by its readings in their order. Not thread-safe. */
public final class LiveVerdict {
    /** Long enough to be steady, short enough to show a change soon. */
    private static final double WINDOW_MILLIS = 10_000;

    /** After the first step; the JVM compiles what is busy. */
    private static final double WARM_UP_MILLIS = 3_000;

    private final Setting setting;
    private final Deque<JobReading> window = new ArrayDeque<>();
    private double begunMillis = Double.NaN;
    private @Nullable JobReading warm;

    /** A judge who has seen nothing. */
    public LiveVerdict(Setting setting) {
        this.setting = setting;
    }

    /** What the last seconds tell, this reading included; empty as long as they tell nothing. */
    public Optional<Measurement> next(JobReading reading) {
        Double clock = reading.trainer().clockMillis();
        Long samples = reading.trainer().samples();
        if (clock == null || samples == null || samples == 0) {
            return Optional.empty();
        }
        JobReading last = window.peekLast();
        if (last != null && (began(last, clock, samples) || rescaled(last, reading))) {
            window.clear();
            warm = null;
            begunMillis = Double.NaN;
        }
        begunMillis = Double.isNaN(begunMillis) ? clock : begunMillis;
        if (warm == null && clock - begunMillis >= WARM_UP_MILLIS) {
            warm = reading;
        }
        window.addLast(reading);
        while (window.size() > 2 && clock - clock(window.peekFirst()) > WINDOW_MILLIS) {
            window.removeFirst();
        }
        return Measurement.of(window.getFirst(), reading, setting);
    }

    /** The training operator was begun anew since: on another machine its clock is another, its counters went back. */
    private static boolean began(JobReading last, double clock, long samples) {
        Long before = last.trainer().samples();
        return clock < clock(last) || (before != null && samples < before);
    }

    /** With other numbers of tasks it is another attempt, also where it is further than when it was last looked at. */
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

    /** What all since the warm-up tells; empty for a run that was over before. */
    public Optional<Measurement> whole() {
        JobReading last = window.peekLast();
        return warm == null || last == null ? Optional.empty() : Measurement.of(warm, last, setting);
    }
}
