package io.millrace.report.html;

import org.jspecify.annotations.Nullable;

/**
 * The sums of one training step, or of several consecutive ones.
 *
 * @param endSeconds the time of training until the end of the last step
 * @param seconds the time of the steps, waiting included
 * @param waitSeconds the part of this time spent waiting for data
 * @param rows the number of rows trained on
 * @param lossSum the sum of the losses of the rows that have one
 * @param lossRows the number of rows that have a loss
 */
record StepSpan(double endSeconds, double seconds, double waitSeconds, long rows, double lossSum, long lossRows) {
    /** Returns the sums of this span and the following one. */
    StepSpan and(StepSpan next) {
        return new StepSpan(
                next.endSeconds,
                seconds + next.seconds,
                waitSeconds + next.waitSeconds,
                rows + next.rows,
                lossSum + next.lossSum,
                lossRows + next.lossRows);
    }

    /** Returns the throughput; null when no time was measured. */
    @Nullable
    Double rowsPerSecond() {
        return seconds > 0 ? Double.valueOf(rows / seconds) : null;
    }

    /** Returns the share of the time spent waiting, 0 to 1; null when no time was measured. */
    @Nullable
    Double starvation() {
        return seconds > 0 ? Double.valueOf(waitSeconds / seconds) : null;
    }

    /** Returns the mean loss; null when no row has a loss. */
    @Nullable
    Double loss() {
        return lossRows > 0 ? Double.valueOf(lossSum / lossRows) : null;
    }
}
