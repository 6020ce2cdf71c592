package io.millrace.rest;

import java.time.Duration;

/**
 * The time between the readings of a job. It grows while the trainers do no step, because each reading costs some 30 ms of CPU time,
 * and a client of a served run may stop for an hour.
 *
 * @param least the time while the trainers do steps, and before their first step
 * @param most the longest time
 */
public record WatchInterval(Duration least, Duration most) {
    public WatchInterval {
        if (most.compareTo(least) < 0) {
            throw new IllegalArgumentException("expected at least " + least + ", found " + most);
        }
    }

    /** Returns an interval that never grows. */
    public static WatchInterval of(Duration always) {
        return new WatchInterval(always, always);
    }

    /**
     * Returns the time until the next reading.
     *
     * @param last the time between the two latest readings
     */
    Duration after(Duration last, JobReading before, JobReading now) {
        Long steps = now.trainer().steps();
        boolean stalls =
                steps != null && steps > 0 && steps.equals(before.trainer().steps());
        Duration twice = last.multipliedBy(2);
        return !stalls ? least : twice.compareTo(most) < 0 ? twice : most;
    }
}
