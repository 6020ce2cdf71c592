package io.millrace.train.update;

import io.millrace.train.spec.TrainSpec;

/**
 * The plan of updates, which decides which batches make one update of the parameters. An update consists of a fixed
 * number of consecutive batches of one epoch. The last update of an epoch consists of the remaining batches. Therefore
 * an epoch has as many updates as an epoch of proportionally larger batches, no evaluation falls within an update, and
 * a run ends with a whole update. A pure function.
 *
 * @param batches the number of batches in one update, at least 1
 * @param stepsPerEpoch the number of batches in an epoch, or 0 if it is not known; with 0, the batches of an update may
 *     belong to several epochs
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

    /** Returns whether each batch is an update by itself. */
    boolean updatesAfterEachBatch() {
        return batches == 1;
    }

    /** Returns the number of the update that contains a step, from 0 over the whole run. */
    long update(long step) {
        return stepsPerEpoch < 1
                ? step / batches
                : step / stepsPerEpoch * updatesPerEpoch() + step % stepsPerEpoch / batches;
    }

    /** Returns whether the parameters are updated after this step. */
    boolean endsUpdate(long step) {
        return update(step + 1) != update(step);
    }

    /** Returns the number of updates in an epoch. */
    long updatesPerEpoch() {
        return (stepsPerEpoch + batches - 1) / batches;
    }
}
