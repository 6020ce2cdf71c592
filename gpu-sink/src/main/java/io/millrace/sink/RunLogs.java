package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep.StepResult;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The files that the trainer adds to in every step: {@code steps.csv}, and if asked for {@code ledger.csv} and TensorBoard's. Its thread alone calls. */
final class RunLogs implements AutoCloseable {
    /**
     * How long the files are.
     *
     * @param ledger -1 when there is none
     */
    record Positions(long steps, long ledger) {
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

    /** Begins them in the run's folder. */
    static RunLogs begin(SinkSpec spec) throws UnwritableException {
        Path folder = Path.of(spec.folder());
        return new RunLogs(
                AppendLog.begin(folder.resolve(StepLine.FILE), StepLine.HEADER),
                spec.ledger() == Ledger.NONE
                        ? null
                        : AppendLog.begin(folder.resolve(LedgerLine.FILE), LedgerLine.HEADER),
                curves(spec, 0));
    }

    /**
     * Goes on with them where a checkpoint was.
     *
     * @throws StateRefusedException when a file is missing or too short, or the run had no ledger and now shall have one
     */
    static RunLogs resume(SinkSpec spec, Progress progress) throws UnwritableException, StateRefusedException {
        Positions positions = progress.logs();
        if (spec.ledger() == Ledger.WRITTEN && positions.ledger() == Positions.NONE) {
            throw new StateRefusedException(
                    "the run was begun without a ledger, and one that begins in its middle would"
                            + " prove nothing: go on with 'ledger: false'");
        }
        Path folder = Path.of(spec.folder());
        Path from = Path.of(progress.folder());
        AppendLog steps =
                AppendLog.resume(folder.resolve(StepLine.FILE), from.resolve(StepLine.FILE), positions.steps());
        AppendLog ledger = spec.ledger() == Ledger.NONE
                ? null
                : AppendLog.resume(folder.resolve(LedgerLine.FILE), from.resolve(LedgerLine.FILE), positions.ledger());
        return new RunLogs(steps, ledger, resumedCurves(spec, progress));
    }

    private static @Nullable Curves curves(SinkSpec spec, long step) throws UnwritableException {
        return spec.events() == Events.NONE
                ? null
                : new Curves(EventLog.begin(Path.of(spec.folder()), step, System::currentTimeMillis));
    }

    /** An evaluation that ended just before the checkpoint is at the step from which on earlier files do not count. */
    private static @Nullable Curves resumedCurves(SinkSpec spec, Progress progress) throws UnwritableException {
        if (spec.events() == Events.NONE) {
            return null;
        }
        Path folder = Path.of(spec.folder());
        try {
            EventFiles.copy(Path.of(progress.folder()), folder);
        } catch (IOException e) {
            throw new UnwritableException(folder, e);
        }
        TrainerState figures = progress.trainer();
        Curves curves = curves(spec, figures.counters().steps());
        long before = progress.nextBatch() - 1;
        if (curves != null && before >= 0) {
            BatchPlan.Batch batch = spec.plan().batch(before);
            if (batch.split() == Split.EVALUATE && batch.last()) {
                curves.evaluated(figures.counters().steps(), figures.evaluation().evaluationLoss(), figures.evaluation().accuracy());
            }
        }
        return curves;
    }

    /** Notes what a training step was asked for. */
    void asked(DeviceBatch batch) throws UnwritableException {
        if (ledger != null) {
            ledger.append(LedgerLine.of(batch));
        }
    }

    /** Notes a training step. */
    void trained(TrainedBatch batch, StepResult result, long waitNanos) throws UnwritableException {
        steps.append(StepLine.of(batch, result, waitNanos));
        if (curves != null) {
            curves.trained(batch, result, waitNanos);
        }
    }

    /** Notes what an evaluation found, after so many steps; null is unknown. */
    void evaluated(long step, @Nullable Double loss, @Nullable Double accuracy) throws UnwritableException {
        if (curves != null) {
            curves.evaluated(step, loss, accuracy);
        }
    }

    /** Brings all into the files. */
    Positions flush() throws UnwritableException {
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
