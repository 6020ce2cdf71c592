package io.millrace.sink;

import io.millrace.train.TrainStep.StepResult;
import java.util.Locale;

/** A line of {@code steps.csv}: one training step. Readers of the file use the name and the header declared here. */
public final class StepLine {
    public static final String FILE = "steps.csv";
    public static final String HEADER = "step,epoch,rows,loss,wait_ms,transfer_ms,compute_ms\n";

    private StepLine() {}

    /** Returns the line of a step. */
    static String of(TrainedBatch batch, StepResult result, long waitNanos) {
        return String.format(
                Locale.ROOT,
                "%d,%d,%d,%s,%.3f,%.3f,%.3f\n",
                batch.step(),
                batch.epoch(),
                batch.rows(),
                Double.isNaN(result.loss()) ? "" : Float.toString((float) result.loss()),
                waitNanos / 1e6,
                result.transferNanos() / 1e6,
                result.computeNanos() / 1e6);
    }
}
