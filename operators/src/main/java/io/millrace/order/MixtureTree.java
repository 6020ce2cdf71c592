package io.millrace.order;

/**
 * The division of consecutive positions with constant weights among the sources of a mixture, by a nested rule on a {@link
 * MixtureShape}. Of the first k samples that arrive at an inner node, the first child gets its target rounded to the nearest
 * integer, and the second child gets the rest. So a position needs no state, and costs one division for each level of the tree.
 *
 * <p>The positions may continue others with different weights. Then the sources begin with a <i>debt</i>, the number of samples by
 * which they are behind their targets, and the rule continues from there.
 */
final class MixtureTree {
    /** Debts are integers in units of 2^-32 samples. */
    static final int DEBT_BITS = 32;

    private static final long FRACTION = (1L << DEBT_BITS) - 1;
    private static final long HALF = 1L << (DEBT_BITS - 1);

    private final MixtureShape shape;
    private final int sources;

    /**
     * What is added to the target of the first child of an inner node before it is rounded down, multiplied by the node's weight: a
     * half sample without debts, and from 0 to less than 1 sample with them, so that a debt delays or advances a child by at most half a
     * sample. Larger debts remain for the positions after.
     */
    private final long[] fraction;

    /**
     * Creates the division.
     *
     * @param sources the number of sources, with those that are not in the shape
     * @param debts the debt of each source, in units of 2^-32 samples; their sum is 0
     */
    MixtureTree(MixtureShape shape, int sources, long[] debts) {
        this.shape = shape;
        this.sources = sources;
        int leaves = shape.leaves();
        fraction = new long[leaves - 1];
        long[] debt = new long[leaves * 2 - 1];
        for (int leaf = 0; leaf < leaves; leaf++) {
            debt[leaf] = debts[shape.source(leaf)];
        }
        for (int inner = 0; inner < leaves - 1; inner++) {
            int child = shape.first(inner);
            long nodeDebt = debt[child] + debt[shape.second(inner)];
            debt[leaves + inner] = nodeDebt;
            long weight = shape.weight(leaves + inner);
            long part = WideMath.quotient(Math.abs(nodeDebt), shape.weight(child), 0, weight);
            long added = Math.max(0, Math.min(FRACTION, debt[child] - (nodeDebt < 0 ? -part : part) + HALF));
            fraction[inner] = WideMath.quotient(added, weight, 0, 1L << DEBT_BITS);
        }
    }

    /**
     * Returns the source of a position, and how many samples it has given before.
     *
     * @param position counted from the first one with these weights, 0 or more
     */
    Mixture.Turn at(long position) {
        int leaves = shape.leaves();
        int node = leaves * 2 - 2;
        long arrived = position;
        while (node >= leaves) {
            int inner = node - leaves;
            int child = shape.first(inner);
            long part = shape.weight(child);
            long weight = shape.weight(node);
            long taken = WideMath.quotient(arrived, part, fraction[inner], weight);
            long rest = WideMath.remainder(arrived, part, fraction[inner], weight, taken);
            boolean first = rest + part >= weight; // the child's target reaches the next integer with this sample
            node = first ? child : shape.second(inner);
            arrived = first ? taken : arrived - taken;
        }
        return new Mixture.Turn(shape.source(node), arrived);
    }

    /** Returns how many samples each source has given before a position. */
    long[] counts(long position) {
        int leaves = shape.leaves();
        long[] arrived = new long[leaves * 2 - 1];
        arrived[arrived.length - 1] = position;
        for (int inner = leaves - 2; inner >= 0; inner--) {
            int node = leaves + inner;
            int child = shape.first(inner);
            long taken = WideMath.quotient(arrived[node], shape.weight(child), fraction[inner], shape.weight(node));
            arrived[child] = taken;
            arrived[shape.second(inner)] = arrived[node] - taken;
        }
        long[] counts = new long[sources];
        for (int leaf = 0; leaf < leaves; leaf++) {
            counts[shape.source(leaf)] = arrived[leaf];
        }
        return counts;
    }
}
