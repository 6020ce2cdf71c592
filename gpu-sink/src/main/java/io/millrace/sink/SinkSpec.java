package io.millrace.sink;

import io.millrace.order.BatchPlan;
import io.millrace.train.TrainSpec;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What the training operator needs to know.
 *
 * @param plan which position belongs to which batch
 * @param train what to train
 * @param opener makes the training step
 * @param ring batches in memory at a time, filled or trained on, at least 2
 * @param maxQuarantined the share of samples that may be bad, 0 to 1
 * @param folder the run's folder, which exists
 * @param ledger whether the samples of each step are written down
 * @param initialState the folder {@code model/state} of a run to go on from, see {@link SavedRun}, where Flink has no
 *     checkpoint; null to begin anew
 * @param target who is told in the task itself when training ends
 */
public record SinkSpec(
        BatchPlan plan,
        TrainSpec train,
        TrainStepOpener opener,
        int ring,
        double maxQuarantined,
        String folder,
        Ledger ledger,
        @Nullable String initialState,
        ReportTarget target)
        implements Serializable {
    public SinkSpec {
        if (ring < 2) {
            throw new IllegalArgumentException("a ring needs at least 2 batches, found " + ring);
        }
        if (!(maxQuarantined >= 0 && maxQuarantined <= 1)) {
            throw new IllegalArgumentException("expected a share from 0 to 1, found " + maxQuarantined);
        }
    }

    /** For a run from the beginning, without a ledger. */
    public SinkSpec(
            BatchPlan plan, TrainSpec train, TrainStepOpener opener, int ring, double maxQuarantined, String folder) {
        this(plan, train, opener, ring, maxQuarantined, folder, Ledger.NONE, null, ReportTarget.NONE);
    }

    /** The same, going on from the folder {@code model/state} of a run that ended. */
    public SinkSpec goingOnFrom(String state) {
        return new SinkSpec(plan, train, opener, ring, maxQuarantined, folder, ledger, state, target);
    }

    /** The same, telling another when training ends. */
    public SinkSpec telling(ReportTarget other) {
        return new SinkSpec(plan, train, opener, ring, maxQuarantined, folder, ledger, initialState, other);
    }
}
