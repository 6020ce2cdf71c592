package io.millrace.train;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
final class Accumulation {
    private static final Logger LOG = LoggerFactory.getLogger(Accumulation.class);

    /**
     * What was added up so far.
     *
     * @param batches how many, those without rows too; 0: no update is under way
     * @param of how many make an update
     * @param rows in them
     * @param weight how often their gradients were counted, see {@link Loss#weight}
     */
    record Begun(int batches, int of, long rows, double weight) {
        static final Begun NOTHING = new Begun(0, 1, 0, 0);

        boolean isNothing() {
            return batches == 0;
        }

        /** What the sum of the gradients is multiplied by to be the mean. */
        double toMean() {
            return weight > 0 ? 1 / weight : 1;
        }
    }

    private final UpdatePlan plan;
    private final PtNDManager manager;
    private Begun begun = Begun.NOTHING;
    private double scalarOf = 1;
    private PtNDArray scalar;

    /** Before the first batch; arrays are made in {@code manager}. */
    Accumulation(UpdatePlan plan, PtNDManager manager) {
        this.plan = plan;
        this.manager = manager;
        this.scalar = scalar(1);
    }

    /**
     * Whether batches are weighed: not where each is an update, but for what is left of an update that was begun by another
     * plan.
     */
    boolean weighs() {
        return !plan.ofEachBatch() || !begun.isNothing();
    }

    /** How often a batch's gradient counts: what backward is called with, on the manager's device. */
    PtNDArray times(double weight) {
        if (weight != scalarOf) {
            // Kept for the next batch, as most have as many rows: bringing a number to a GPU waits for all of its work.
            scalar.close();
            scalar = scalar(weight);
            scalarOf = weight;
        }
        return scalar;
    }

    private PtNDArray scalar(double value) {
        ByteBuffer number = ByteBuffer.allocateDirect(Float.BYTES).order(ByteOrder.nativeOrder());
        number.putFloat(0, (float) value);
        try (PtNDArray view = manager.create(number, new Shape(), DataType.FLOAT32)) {
            return (PtNDArray) view.duplicate();
        }
    }

    /** A batch is in the sum now, perhaps one without rows. */
    void add(int rows, double weight) {
        begun = new Begun(begun.batches + 1, plan.batches(), begun.rows + rows, begun.weight + weight);
    }

    /** What the sum is of. */
    Begun begun() {
        return begun;
    }

    /** Tells what the sum is of, which becomes an update. */
    Begun end() {
        Begun ended = begun;
        begun = Begun.NOTHING;
        return ended;
    }

    /** Goes on with an update that was begun, whose gradients are in their place. */
    void continueFrom(Begun other) {
        if (!other.isNothing() && other.of() != plan.batches()) {
            LOG.info(
                    "the update that was begun by train.accumulate {} goes on by {}: it ends after the batch that ends one of"
                            + " the latter",
                    other.of(),
                    plan.batches());
        }
        begun = other;
    }
}
