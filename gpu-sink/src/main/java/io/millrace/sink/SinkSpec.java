package io.millrace.sink;

import io.millrace.order.BatchPlan;
import io.millrace.train.TrainSpec;
import java.io.Serializable;

/**
 * What the training operator needs to know.
 *
 * @param plan which position belongs to which batch
 * @param train what to train
 * @param opener makes the training step
 * @param ring batches in memory at a time, filled or trained on, at least 2
 * @param maxQuarantined the share of samples that may be bad, 0 to 1
 * @param folder the run's folder, which exists
 * @param target who is told in the task itself when training ends
 */
public record SinkSpec(
        BatchPlan plan,
        TrainSpec train,
        TrainStepOpener opener,
        int ring,
        double maxQuarantined,
        String folder,
        ReportTarget target)
        implements Serializable {
    /** Of a run whose client waits for its report. */
    public SinkSpec(
            BatchPlan plan, TrainSpec train, TrainStepOpener opener, int ring, double maxQuarantined, String folder) {
        this(plan, train, opener, ring, maxQuarantined, folder, ReportTarget.NONE);
    }

    /** The same, telling another when training ends. */
    public SinkSpec telling(ReportTarget other) {
        return new SinkSpec(plan, train, opener, ring, maxQuarantined, folder, other);
    }

    public SinkSpec {
        if (ring < 2) {
            throw new IllegalArgumentException("a ring needs at least 2 batches, found " + ring);
        }
        if (!(maxQuarantined >= 0 && maxQuarantined <= 1)) {
            throw new IllegalArgumentException("expected a share from 0 to 1, found " + maxQuarantined);
        }
    }
}
