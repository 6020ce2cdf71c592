package io.millrace.train.update;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.train.loss.Loss;
import io.millrace.train.loss.Weight;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The update that has begun: the engine sums the gradients of its batches, and this class counts the rows and weights of the
 * sum. Belongs to the trainer's thread.
 *
 * <p>A batch's loss is the mean over its rows. Its gradient is multiplied by the number of its rows, and the sum is
 * divided by the number of all rows when the update is made. The result is the gradient of one batch that contains all
 * these rows. This gradient does not depend on the distribution of the rows over the batches, and quarantined rows have
 * no influence. Where each batch is an update, its gradient is used unchanged.
 */
public final class Accumulation {
    private static final Logger LOG = LoggerFactory.getLogger(Accumulation.class);

    /**
     * The contents of the sum.
     *
     * @param batches the number of batches, those without rows included; 0 outside of an update
     * @param batchesPerUpdate the number of batches that make an update
     * @param rows the number of rows in the batches
     * @param weight the sum of the batches' weights, see {@link Loss#weight}
     */
    public record Begun(int batches, int batchesPerUpdate, long rows, double weight) {
        public static final Begun NOTHING = new Begun(0, 1, 0, 0);

        public boolean isNothing() {
            return batches == 0;
        }
    }

    private final UpdatePlan plan;
    private final WeightSum weights;
    private int batches;
    private int batchesPerUpdate = Begun.NOTHING.batchesPerUpdate();
    private long rows;

    /** Creates the counts before the first batch. The manager owns the array that this object creates. */
    public Accumulation(UpdatePlan plan, PtNDManager manager) {
        this.plan = plan;
        this.weights = new WeightSum(manager);
    }

    /**
     * Returns whether gradients are multiplied by weights. If each batch is an update, they are not multiplied, except
     * in the rest of an update that began with another plan.
     */
    boolean weighs() {
        return !plan.updatesAfterEachBatch() || batches > 0;
    }

    /** Counts a batch whose gradients are in the sum; it may have no rows. */
    void add(int more, Weight weight) {
        batches++;
        batchesPerUpdate = plan.batches();
        rows += more;
        weights.add(weight);
    }

    /** Returns the sum of the batches' weights. */
    WeightSum weights() {
        return weights;
    }

    /** Returns the number of rows in the batches. */
    long rows() {
        return rows;
    }

    /** Returns the contents of the sum. This reads the weight, which may wait for the device. */
    public Begun begun() {
        return new Begun(batches, batchesPerUpdate, rows, weights.read());
    }

    /** Ends the update; the next one begins. */
    void end() {
        set(Begun.NOTHING);
    }

    private void set(Begun other) {
        batches = other.batches();
        batchesPerUpdate = other.batchesPerUpdate();
        rows = other.rows();
        weights.restart(other.weight());
    }

    /** Continues an update that had begun, whose gradients are in memory again. */
    public void continueFrom(Begun other) {
        if (!other.isNothing() && other.batchesPerUpdate() != plan.batches()) {
            LOG.info(
                    "an update that began with train.accumulate {} continues with {}: it ends where an update of the new"
                            + " setting ends",
                    other.batchesPerUpdate(),
                    plan.batches());
        }
        set(other);
    }
}
