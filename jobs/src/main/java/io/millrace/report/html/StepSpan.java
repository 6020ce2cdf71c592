package io.millrace.report.html;

import org.jspecify.annotations.Nullable;

/**
 * One training step, or some that follow each other, summed up.
 *
 * @param endSeconds of training until their end
 * @param seconds that they took, waiting included
 * @param waitSeconds of these, waiting for data
 * @param rows trained on
 * @param lossSum of the rows that have a loss
 * @param lossRows how many these are
 */
record StepSpan(double endSeconds, double seconds, double waitSeconds, long rows, double lossSum, long lossRows) {
    /** This and what follows it. */
    StepSpan and(StepSpan next) {
        return new StepSpan(
                next.endSeconds,
                seconds + next.seconds,
                waitSeconds + next.waitSeconds,
                rows + next.rows,
                lossSum + next.lossSum,
                lossRows + next.lossRows);
    }

    /** Null where no time was measured. */
    @Nullable
    Double rowsPerSecond() {
        return seconds > 0 ? Double.valueOf(rows / seconds) : null;
    }

    /** The share that was waiting, 0 to 1; null where no time was measured. */
    @Nullable
    Double starvation() {
        return seconds > 0 ? Double.valueOf(waitSeconds / seconds) : null;
    }

    /** The mean; null where there was none. */
    @Nullable
    Double loss() {
        return lossRows > 0 ? Double.valueOf(lossSum / lossRows) : null;
    }
}
