package io.millrace.order;

import java.util.Arrays;

/**
 * The division of the positions of one phase of a mixture, with those of its ramp, without jitter. All steps of the ramp follow
 * one target: what a source is behind at the end of a step, it gets in the next one. Positions after the end of the phase continue
 * its rule.
 */
final class MixtureSteps {
    private static final class Step {
        private final long start;
        private final long[] before;
        private final MixtureTree tree;

        Step(long start, long[] before, MixtureTree tree) {
            this.start = start;
            this.before = before;
            this.tree = tree;
        }
    }

    private final Step[] steps;
    private final MixtureRamp ramp;

    MixtureSteps(MixtureRamp ramp) {
        this.ramp = ramp;
        this.steps = new Step[ramp.steps() + 1];
        long[] weights = ramp.weights(0);
        long[] debts = new long[weights.length];
        long[] before = new long[weights.length];
        MixtureShape shape = MixtureShape.of(weights);
        for (int number = 0; ; number++) {
            MixtureTree tree = new MixtureTree(shape, weights.length, debts);
            steps[number] = new Step(ramp.start(number), before, tree);
            if (number == ramp.steps()) {
                return;
            }
            long length = ramp.start(number + 1) - ramp.start(number);
            long[] counts = tree.counts(length);
            debts = debtsAfter(debts, weights, length, counts);
            before = sum(before, counts);
            weights = ramp.weights(number + 1);
            shape = shape.next(weights);
        }
    }

    private static long[] debtsAfter(long[] debts, long[] weights, long length, long[] counts) {
        long total = Arrays.stream(weights).sum();
        long[] after = new long[debts.length];
        for (int source = 0; source < after.length; source++) {
            long target = WideMath.quotient(length, weights[source], 0, total);
            long rest = WideMath.remainder(length, weights[source], 0, total, target);
            after[source] = debts[source]
                    + ((target - counts[source]) << MixtureTree.DEBT_BITS)
                    + WideMath.quotient(rest, 1L << MixtureTree.DEBT_BITS, 0, total);
        }
        return after;
    }

    static long[] sum(long[] a, long[] b) {
        long[] sum = new long[a.length];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = a[i] + b[i];
        }
        return sum;
    }

    /** Returns the source of a position, counted from the beginning of the phase, and how many samples it has given in it before. */
    Mixture.Turn at(long position) {
        Step step = steps[ramp.step(position)];
        Mixture.Turn turn = step.tree.at(position - step.start);
        return new Mixture.Turn(turn.source(), step.before[turn.source()] + turn.count());
    }

    /** Returns how many samples each source has given in the phase before a position, counted from its beginning. */
    long[] counts(long position) {
        Step step = steps[ramp.step(position)];
        return sum(step.before, step.tree.counts(position - step.start));
    }
}
