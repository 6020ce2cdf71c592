package io.millrace.sink.progress;

import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import io.millrace.sample.Split;
import io.millrace.sink.figures.TrainedBatch;
import io.millrace.sink.figures.TrainerState;
import io.millrace.sink.files.AppendLog;
import io.millrace.sink.files.EventFiles;
import io.millrace.sink.files.EventLog;
import io.millrace.sink.files.Events;
import io.millrace.sink.files.Ledger;
import io.millrace.sink.files.LedgerLine;
import io.millrace.sink.files.StateRefusedException;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.train.TrainStep.StepResult;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files that the trainer appends to in every step: {@code steps.csv} and, if configured, {@code ledger.csv} and
 * TensorBoard's event files. Only the trainer's thread calls it.
 */
public final class RunLogs implements AutoCloseable {
    /**
     * The lengths of the files in bytes.
     *
     * @param ledger the length of the ledger; -1 when there is none
     */
    public record Positions(long steps, long ledger) {
        static final long NONE = -1;
    }

    private final AppendLog steps;
    private final @Nullable AppendLog ledger;
    private final @Nullable Curves curves;

    private RunLogs(AppendLog steps, @Nullable AppendLog ledger, @Nullable Curves curves) {
        this.steps = steps;
        this.ledger = ledger;
        this.curves = curves;
    }

    /**
     * Begins the files in the run's folder.
     *
     * @throws UnwritableException when a file cannot be written; then all files are closed
     */
    public static RunLogs begin(SinkSpec spec) throws UnwritableException {
        Path folder = Path.of(spec.run().folder());
        Handles opened = new Handles();
        return opened.closeOnFailure(() -> new RunLogs(
                opened.add(AppendLog.begin(folder.resolve(StepLine.FILE), StepLine.HEADER)),
                spec.run().ledger() == Ledger.NONE
                        ? null
                        : opened.add(AppendLog.begin(folder.resolve(LedgerLine.FILE), LedgerLine.HEADER)),
                spec.run().events() == Events.NONE ? null : opened.add(curves(folder, 0))));
    }

    /**
     * Continues the files of a checkpoint in the run's folder.
     *
     * @throws StateRefusedException when a file is missing or too short, or when a ledger is configured that the run
     *     did not have before
     * @throws UnwritableException when a file cannot be written; no file stays open after a failure
     */
    public static RunLogs resume(SinkSpec spec, Progress progress) throws UnwritableException, StateRefusedException {
        Positions positions = progress.logs();
        if (spec.run().ledger() == Ledger.WRITTEN && positions.ledger() == Positions.NONE) {
            throw new StateRefusedException(
                    "the run was started without a ledger, and a ledger that begins in the middle of"
                            + " a run would prove nothing: continue with 'ledger: false'");
        }
        Path folder = Path.of(spec.run().folder());
        Path from = Path.of(progress.folder());
        Handles opened = new Handles();
        try {
            return opened.closeOnFailure(() -> new RunLogs(
                    opened.add(resumed(StepLine.FILE, from, folder, positions.steps())),
                    spec.run().ledger() == Ledger.NONE
                            ? null
                            : opened.add(resumed(LedgerLine.FILE, from, folder, positions.ledger())),
                    spec.run().events() == Events.NONE ? null : resumedCurves(opened, spec, progress)));
        } catch (UnwritableException | StateRefusedException e) {
            throw e;
        } catch (IOException e) {
            throw new UnwritableException(folder, e);
        }
    }

    private static AppendLog resumed(String name, Path from, Path folder, long bytes)
            throws UnwritableException, StateRefusedException {
        return AppendLog.resume(folder.resolve(name), from.resolve(name), bytes);
    }

    private static Curves curves(Path folder, long step) throws UnwritableException {
        return new Curves(EventLog.begin(folder, step, System::currentTimeMillis));
    }

    /**
     * Continues the curves. The values of an evaluation that ended just before the checkpoint are written again,
     * because they belong to the first step for which readers ignore earlier files.
     */
    private static Curves resumedCurves(Handles opened, SinkSpec spec, Progress progress) throws IOException {
        Path folder = Path.of(spec.run().folder());
        EventFiles.copy(Path.of(progress.folder()), folder);
        TrainerState figures = progress.trainer();
        Curves curves = opened.add(curves(folder, figures.counters().steps()));
        long before = progress.nextBatch() - 1;
        if (before >= 0) {
            BatchPlan.Batch batch = spec.run().plan().batch(before);
            if (batch.split() == Split.EVALUATE && batch.last()) {
                curves.evaluated(
                        figures.counters().steps(),
                        figures.evaluation().evaluationLoss(),
                        figures.evaluation().accuracy());
            }
        }
        return curves;
    }

    /** Records the samples of a training step that was enqueued. */
    public void enqueued(DeviceBatch batch) throws UnwritableException {
        if (ledger != null) {
            ledger.append(LedgerLine.of(batch));
        }
    }

    /** Records the result of a training step. */
    public void trained(TrainedBatch batch, StepResult result, long waitNanos) throws UnwritableException {
        steps.append(StepLine.of(batch, result, waitNanos));
        if (curves != null) {
            curves.trained(batch, result, waitNanos);
        }
    }

    /** Records the result of an evaluation after {@code step} training steps; null stands for an unknown value. */
    public void evaluated(long step, @Nullable Double loss, @Nullable Double accuracy) throws UnwritableException {
        if (curves != null) {
            curves.evaluated(step, loss, accuracy);
        }
    }

    /** Writes all text to the files; returns their lengths. */
    public Positions flush() throws UnwritableException {
        if (curves != null) {
            curves.flush();
        }
        return new Positions(steps.flush(), ledger == null ? Positions.NONE : ledger.flush());
    }

    @Override
    public void close() throws UnwritableException {
        try (steps) {
            try (curves) {
                if (ledger != null) {
                    ledger.close();
                }
            }
        }
    }
}
