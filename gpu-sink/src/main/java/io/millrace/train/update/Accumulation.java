package io.millrace.train.update;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.train.loss.Loss;
import io.millrace.train.loss.Weight;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The update that is under way: the engine adds up its batches' gradients, and this counts what they add up to. Belongs
 * to the trainer's thread.
 *
 * <p>A batch's loss is the mean over its rows. Its gradient counts as often as it has rows, and the sum is divided by all
 * rows when the update is made: the gradient of a batch that has all these rows, however they are spread and whichever
 * were quarantined. Where each batch is an update, its gradient is taken as it is, to the same bits as ever.
 */
public final class Accumulation {
    private static final Logger LOG = LoggerFactory.getLogger(Accumulation.class);

    /**
     * What was added up so far.
     *
     * @param batches how many, those without rows too; 0: no update is under way
     * @param of how many make an update
     * @param rows in them
     * @param weight how often their gradients were counted, see {@link Loss#weight}
     */
    public record Begun(int batches, int of, long rows, double weight) {
        public static final Begun NOTHING = new Begun(0, 1, 0, 0);

        public boolean isNothing() {
            return batches == 0;
        }
    }

    private final UpdatePlan plan;
    private final WeightSum weights;
    private int batches;
    private int of = Begun.NOTHING.of();
    private long rows;

    /** Before the first batch; the manager owns an array of this. */
    public Accumulation(UpdatePlan plan, PtNDManager manager) {
        this.plan = plan;
        this.weights = new WeightSum(manager);
    }

    /**
     * Whether batches are weighed: not where each is an update, but for what is left of an update that was begun by another
     * plan.
     */
    boolean weighs() {
        return !plan.ofEachBatch() || batches > 0;
    }

    /** A batch is in the sum now, perhaps one without rows. */
    void add(int more, Weight weight) {
        batches++;
        of = plan.batches();
        rows += more;
        weights.add(weight);
    }

    /** What the batches weigh. */
    WeightSum weights() {
        return weights;
    }

    /** The rows of the batches. */
    long rows() {
        return rows;
    }

    /** What the sum is of, in numbers: reads the weight, which may wait for the device. */
    public Begun begun() {
        return new Begun(batches, of, rows, weights.read());
    }

    /** The sum becomes an update, and the next begins. */
    void end() {
        become(Begun.NOTHING);
    }

    private void become(Begun other) {
        batches = other.batches();
        of = other.of();
        rows = other.rows();
        weights.restart(other.weight());
    }

    /** Goes on with an update that was begun, whose gradients are in their place. */
    public void continueFrom(Begun other) {
        if (!other.isNothing() && other.of() != plan.batches()) {
            LOG.info(
                    "the update that was begun by train.accumulate {} goes on by {}: it ends after the batch that ends one of"
                            + " the latter",
                    other.of(),
                    plan.batches());
        }
        become(other);
    }
}
