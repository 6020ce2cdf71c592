package io.millrace.report.html;

import io.millrace.rest.JobReading;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The course of a run, computed from its readings, for runs whose {@code steps.csv} is on another machine. One thread
 * adds readings; any thread may read the course.
 */
public final class ReadingLog {
    private static final double MILLIS_PER_SECOND = 1e3;

    private final StepSeries series = new StepSeries(StepFile.MOST_SPANS);
    private @Nullable JobReading before;
    private double seconds;

    /** Adds a reading; a reading without the trainer's figures is ignored. */
    public synchronized void add(JobReading reading) {
        Double clock = reading.trainer().clockMillis();
        Long samples = reading.trainer().samples();
        if (clock == null || samples == null) {
            return;
        }
        JobReading earlier = before;
        before = reading;
        if (earlier == null) {
            return;
        }
        Double clockBefore = earlier.trainer().clockMillis();
        Long samplesBefore = earlier.trainer().samples();
        Double starved = reading.trainer().starvedMillis();
        Double starvedBefore = earlier.trainer().starvedMillis();
        if (clockBefore == null || samplesBefore == null || starved == null || starvedBefore == null) {
            return;
        }
        double took = (clock - clockBefore) / MILLIS_PER_SECOND;
        long rows = samples - samplesBefore;
        // A restarted trainer has another clock, and its counters are set back.
        if (took <= 0 || rows <= 0 || starved < starvedBefore) {
            return;
        }
        seconds += took;
        Double loss = reading.trainer().loss();
        boolean known = loss != null && Double.isFinite(loss);
        series.add(new StepSpan(
                seconds,
                took,
                (starved - starvedBefore) / MILLIS_PER_SECOND,
                rows,
                known && loss != null ? loss * rows : 0,
                known ? rows : 0));
    }

    synchronized List<StepSpan> spans() {
        return series.spans();
    }
}
