package io.millrace.sink.progress;

import io.millrace.sink.figures.TrainedBatch;
import io.millrace.train.TrainStep.StepResult;

/** A line of {@code steps.csv}: one training step. Readers of the file use the name and the header declared here. */
public final class StepLine {
    public static final String FILE = "steps.csv";
    public static final String HEADER = "step,epoch,rows,loss,wait_ms,transfer_ms,compute_ms\n";

    private static final int LENGTH = 64;

    private StepLine() {}

    /** Returns the line of a step. */
    static String of(TrainedBatch batch, StepResult result, long waitNanos) {
        // Text is built by hand, because String.format took 1.5 % of the trainer's time for a small model.
        StringBuilder line = new StringBuilder(LENGTH);
        line.append(batch.step()).append(',').append(batch.epoch()).append(',').append(batch.rows());
        line.append(',').append(Double.isNaN(result.loss()) ? "" : Float.toString((float) result.loss()));
        appendMillis(line.append(','), waitNanos);
        appendMillis(line.append(','), result.transferNanos());
        appendMillis(line.append(','), result.computeNanos());
        return line.append('\n').toString();
    }

    /** Appends a time in milliseconds with three digits after the point, rounded half up as {@code %.3f} does. */
    private static void appendMillis(StringBuilder line, long nanos) {
        long micros = (Math.abs(nanos) + 500) / 1000;
        long fraction = micros % 1000;
        line.append(nanos < 0 ? "-" : "")
                .append(micros / 1000)
                .append(fraction < 10 ? ".00" : fraction < 100 ? ".0" : ".");
        line.append(fraction);
    }
}
