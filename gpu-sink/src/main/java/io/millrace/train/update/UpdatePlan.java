package io.millrace.train.update;

import io.millrace.train.spec.TrainSpec;

/**
 * Which batches make an update of the parameters: so many in a row of one epoch, what is left of the epoch the last. So
 * the updates of an epoch are those of batches so many times as large, evaluations never come in between, and a run ends
 * with a whole update. A pure function.
 *
 * @param batches in one update, at least 1
 * @param stepsPerEpoch batches of an epoch; 0 where nothing is known of epochs, then an update's batches may be of several
 */
public record UpdatePlan(int batches, long stepsPerEpoch) {
    public UpdatePlan {
        if (batches < 1) {
            throw new IllegalArgumentException("an update needs at least 1 batch, found " + batches);
        }
    }

    public static UpdatePlan of(TrainSpec spec) {
        return new UpdatePlan(
                spec.recipe().updates().accumulate(), spec.length().stepsPerEpoch());
    }

    /** Whether each batch is an update by itself. */
    boolean ofEachBatch() {
        return batches == 1;
    }

    /** The number of the update that a step is part of, from 0 over the whole run. */
    long update(long step) {
        return stepsPerEpoch < 1
                ? step / batches
                : step / stepsPerEpoch * updatesPerEpoch() + step % stepsPerEpoch / batches;
    }

    /** Whether the parameters are updated after this step. */
    boolean endsUpdate(long step) {
        return update(step + 1) != update(step);
    }

    /** How many updates an epoch has. */
    long updatesPerEpoch() {
        return (stepsPerEpoch + batches - 1) / batches;
    }
}
