package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SkippedStepsTest {
    private static final int STEPS = 200;

    /** Removes the stretches from a list of all steps, one after the other. */
    @Property
    void stretchesAreCountedAsTheRunCountsThem(
            @ForAll @Size(max = 8) List<@IntRange(max = 120) Integer> firsts,
            @ForAll @Size(min = 8, max = 8) List<@IntRange(max = 9) Integer> lengths) {
        List<Long> left = new ArrayList<>();
        for (long step = 0; step < STEPS; step++) {
            left.add(step);
        }
        SkippedSteps skipped = SkippedSteps.NONE;
        for (int i = 0; i < firsts.size(); i++) {
            int first = firsts.get(i);
            int last = first + lengths.get(i);
            skipped = skipped.and(first, last);
            left.subList(first, last + 1).clear();
        }
        assertThat(skipped.count()).isEqualTo(STEPS - left.size());
        for (int step = 0; step < left.size(); step++) {
            assertThat(skipped.inPlan(step)).isEqualTo(left.get(step));
            assertThat(skipped.inRun(left.get(step))).isEqualTo(step);
        }
    }

    @Property
    void firstDifferenceIsTheFirstStepWithOtherSamples(
            @ForAll @Size(max = 4) List<@IntRange(max = 60) Integer> own,
            @ForAll @Size(max = 4) List<@IntRange(max = 60) Integer> theirs) {
        SkippedSteps one = skipping(own);
        SkippedSteps other = skipping(theirs);
        long expected = Long.MAX_VALUE;
        for (long step = STEPS; step >= 0; step--) {
            expected = one.inPlan(step) == other.inPlan(step) ? expected : step;
        }
        assertThat(one.firstDifference(other)).isEqualTo(expected);
        assertThat(other.firstDifference(one)).isEqualTo(expected);
    }

    private static SkippedSteps skipping(List<Integer> firsts) {
        SkippedSteps skipped = SkippedSteps.NONE;
        for (int first : firsts) {
            skipped = skipped.and(first, first + 2);
        }
        return skipped;
    }

    @Test
    void otherStepsKeepTheirSamplesAndRandomNumbers() {
        EpochOrder whole = new EpochOrder(7, 13, Shuffle.FULL); // the last sample of an epoch is in no full batch
        SkippingOrder order = new SkippingOrder(whole, SkippedSteps.NONE.and(2, 4), 12, 3);
        List<Order.Pick> plan = new ArrayList<>();
        for (int epoch = 0; epoch < 4; epoch++) {
            for (int i = 0; i < 12; i++) {
                plan.add(whole.at(epoch, i));
            }
        }
        plan.subList(2 * 3, 5 * 3).clear();
        for (int epoch = 0; epoch < 3; epoch++) {
            for (int i = 0; i < 12; i++) {
                assertThat(order.at(epoch, i)).isEqualTo(plan.get(epoch * 12 + i));
            }
        }
    }

    @Test
    void countsAskForNoSampleBehindTheLastPlace() {
        List<Long> asked = new ArrayList<>();
        Order whole = new Counted(asked);
        SkippingOrder order = new SkippingOrder(whole, SkippedSteps.NONE.and(2, 4), 12, 3);
        assertThat(order.counts(2 * 3)).containsExactly(2 * 3);
        assertThat(order.counts(0)).containsExactly(0);
        assertThat(asked).containsExactly(6L, 0L);
        asked.clear();
        assertThat(order.counts(3 * 3)).containsExactly(3 * 3);
        assertThat(asked).containsExactly(18L, 6L, 15L);
    }

    /** An order that keeps the places for which it counts samples. */
    private record Counted(List<Long> asked) implements Order {
        @Override
        public long seed() {
            return 7;
        }

        @Override
        public long size() {
            return 12;
        }

        @Override
        public Pick at(int epoch, long i) {
            return new Pick(0, epoch, i);
        }

        @Override
        public long[] counts(long places) {
            asked.add(places);
            return new long[] {places};
        }
    }

    @Test
    void stepsOfDifferentSizesAreRefused() {
        EpochOrder whole = new EpochOrder(7, 13, Shuffle.FULL);
        assertThatThrownBy(() -> new SkippingOrder(whole, SkippedSteps.NONE.and(2, 4), 13, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "steps can be left out only where all have the same number of samples, but the 13 samples of an"
                                + " epoch are no multiple of the 3 of a batch: set batch.drop_last to true");
        assertThatThrownBy(() -> SkippedSteps.NONE.and(4, 2)).hasMessageEndingWith("found 4-2");
    }
}
