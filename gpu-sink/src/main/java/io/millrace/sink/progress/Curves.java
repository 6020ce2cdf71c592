package io.millrace.sink.progress;

import io.millrace.sink.figures.TrainedBatch;
import io.millrace.sink.files.EventLog;
import io.millrace.sink.files.UnwritableException;
import io.millrace.train.TrainStep.StepResult;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The curves that TensorBoard shows of a run: {@code loss}, {@code images_per_s} and {@code starvation} of training,
 * and {@code accuracy} and {@code evaluation_loss} of evaluations. Steps count from 0; an evaluation is shown at the
 * number of training steps before it.
 *
 * <p>Each of the first {@value #EVERY_STEP} steps has a point, then every tenth step, after ten times as many steps
 * every hundredth, and so on, so that a long run needs some megabytes. Speed and starvation are means over the steps
 * since the last point.
 */
public final class Curves implements AutoCloseable {
    private static final int EVERY_STEP = 10_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final EventLog log;
    private boolean begun;
    private long rows;
    private long waitNanos;
    private long nanos;

    /** Takes ownership of the log. */
    Curves(EventLog log) {
        this.log = log;
    }

    /** Adds a training step. The wait before the first batch is not counted, because it belongs to the start-up. */
    void trained(TrainedBatch batch, StepResult result, long waited) throws UnwritableException {
        long starved = begun ? waited : 0;
        begun = true;
        rows += batch.rows();
        waitNanos += starved;
        nanos += starved + result.transferNanos() + result.computeNanos();
        if (!hasPoint(batch.step())) {
            return;
        }
        Map<String, Double> values = new LinkedHashMap<>();
        put(values, "loss", result.loss());
        if (nanos > 0) {
            put(values, "images_per_s", rows * NANOS_PER_SECOND / nanos);
            put(values, "starvation", (double) waitNanos / nanos);
        }
        log.add(batch.step(), values);
        rows = 0;
        waitNanos = 0;
        nanos = 0;
    }

    /**
     * Adds an evaluation; null stands for an unknown value.
     *
     * @param step the number of training steps before the evaluation
     */
    void evaluated(long step, @Nullable Double loss, @Nullable Double accuracy) throws UnwritableException {
        Map<String, Double> values = new LinkedHashMap<>();
        put(values, "accuracy", accuracy == null ? Double.NaN : accuracy);
        put(values, "evaluation_loss", loss == null ? Double.NaN : loss);
        log.add(step, values);
    }

    private static void put(Map<String, Double> values, String tag, double value) {
        if (!Double.isNaN(value)) {
            values.put(tag, value);
        }
    }

    public static boolean hasPoint(long step) {
        long between = 1;
        while (step / between >= EVERY_STEP) {
            between *= 10;
        }
        return step % between == 0;
    }

    void flush() throws UnwritableException {
        log.flush();
    }

    @Override
    public void close() throws UnwritableException {
        log.close();
    }
}
