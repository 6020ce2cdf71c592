package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.train.TrainStep.StepResult;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The files that the trainer adds to in every step: {@code steps.csv}, and {@code ledger.csv} if asked for. Its thread alone calls. */
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

    private RunLogs(AppendLog steps, @Nullable AppendLog ledger) {
        this.steps = steps;
        this.ledger = ledger;
    }

    /** Begins them in the run's folder. */
    static RunLogs begin(Path folder, Ledger ledger) throws UnwritableException {
        AppendLog steps = AppendLog.begin(folder.resolve(StepLine.FILE), StepLine.HEADER);
        return new RunLogs(
                steps,
                ledger == Ledger.NONE ? null : AppendLog.begin(folder.resolve(LedgerLine.FILE), LedgerLine.HEADER));
    }

    /**
     * Goes on with them where a checkpoint was.
     *
     * @param from the folder of the run that wrote the checkpoint
     * @throws StateRefusedException when a file is missing or too short, or the run had no ledger and now shall have one
     */
    static RunLogs resume(Path folder, Ledger ledger, Path from, Positions positions)
            throws UnwritableException, StateRefusedException {
        if (ledger == Ledger.WRITTEN && positions.ledger() == Positions.NONE) {
            throw new StateRefusedException(
                    "the run was begun without a ledger, and one that begins in its middle would"
                            + " prove nothing: go on with 'ledger: false'");
        }
        AppendLog steps =
                AppendLog.resume(folder.resolve(StepLine.FILE), from.resolve(StepLine.FILE), positions.steps());
        return new RunLogs(
                steps,
                ledger == Ledger.NONE
                        ? null
                        : AppendLog.resume(
                                folder.resolve(LedgerLine.FILE), from.resolve(LedgerLine.FILE), positions.ledger()));
    }

    /** Notes a training step. */
    void trained(DeviceBatch batch, StepResult result, long waitNanos) throws UnwritableException {
        steps.append(StepLine.of(batch, result, waitNanos));
        if (ledger != null) {
            ledger.append(LedgerLine.of(batch));
        }
    }

    /** Brings all into the files. */
    Positions flush() throws UnwritableException {
        return new Positions(steps.flush(), ledger == null ? Positions.NONE : ledger.flush());
    }

    @Override
    public void close() throws UnwritableException {
        try (steps) {
            if (ledger != null) {
                ledger.close();
            }
        }
    }
}
