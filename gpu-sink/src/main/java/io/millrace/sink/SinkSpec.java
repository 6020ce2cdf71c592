package io.millrace.sink;

import io.millrace.order.BatchPlan;
import io.millrace.order.RankSplit;
import io.millrace.train.TrainSpec;
import java.io.Serializable;
import java.util.List;

/**
 * What the training operator needs to know.
 *
 * @param plan which position belongs to which batch
 * @param train what to train
 * @param opener makes the training step
 * @param ring batches in memory at a time, filled or trained on, at least 2
 * @param maxQuarantined the share of samples that may be bad, 0 to 1
 * @param folder the run's folder, which exists
 * @param trainers how many, what each trains and which rows it gets; {@code train} is rank 0's
 */
public record SinkSpec(
        BatchPlan plan,
        TrainSpec train,
        TrainStepOpener opener,
        int ring,
        double maxQuarantined,
        String folder,
        Trainers trainers)
        implements Serializable {
    public SinkSpec {
        if (ring < 2) {
            throw new IllegalArgumentException("a ring needs at least 2 batches, found " + ring);
        }
        if (!(maxQuarantined >= 0 && maxQuarantined <= 1)) {
            throw new IllegalArgumentException("expected a share from 0 to 1, found " + maxQuarantined);
        }
    }

    /** The same with one trainer. */
    public SinkSpec(
            BatchPlan plan, TrainSpec train, TrainStepOpener opener, int ring, double maxQuarantined, String folder) {
        this(plan, train, opener, ring, maxQuarantined, folder, new Trainers(RankSplit.none(plan), List.of(train)));
    }
}
