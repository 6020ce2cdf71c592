package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class GrowingPlanTest {
    private static final PackRule RULE = new PackRule(1000, PackPolicy.BEST_FIT, 16, Overlong.SPLIT);

    @Property(tries = 60)
    void windowsCountedInAnyOrderMakeThePlanOfTheCounter(
            @ForAll long seed, @ForAll @IntRange(min = 0, max = 3000) int documents) {
        EpochOrder order = new EpochOrder(seed, documents, documents % 2 == 0 ? Shuffle.FULL : Shuffle.NONE);
        int[] lengths = LengthSamples.WEB.lengths(documents, seed);
        Arrays.fill(lengths, documents / 3, documents / 2, DocumentLengths.BAD);
        SequencePlan plan = new PackCounter(order, RULE, new ArrayLengths(lengths)).count();
        int[] known = new int[documents];
        Arrays.fill(known, DocumentLengths.NOT_COUNTED);
        CountedWindows counted = new CountedWindows(order, RULE.window(), new ArrayLengths(known));
        GrowingPlan growing = new GrowingPlan(order, RULE, new ArrayLengths(known), counted);
        assertThat(counted.windows()).isEqualTo(plan.windows());

        List<Integer> windows =
                new ArrayList<>(IntStream.range(0, plan.windows()).boxed().toList());
        Collections.shuffle(windows, new Random(seed));
        for (int window : windows) {
            extend(counted, growing);
            assertThat(growing.isComplete()).isFalse();
            assertThat(counted.isComplete()).isFalse();
            assertThat(counted.isCounted(window)).isFalse();
            IntStream.range(window * RULE.window(), Math.min(documents, (window + 1) * RULE.window()))
                    .map(i -> (int) order.index(0, i))
                    .forEach(document -> known[document] = lengths[document]);
            extend(counted, growing);
            assertThat(counted.isCounted(window)).isTrue();
            if (growing.packs() > 0) {
                long last = growing.packs() - 1;
                assertThat(growing.place(last)).isEqualTo(plan.place(0, last));
                assertThat(growing.place(last / 2)).isEqualTo(plan.place(0, last / 2));
            }
        }
        assertThat(counted.counted()).isEqualTo(documents);
        assertThat(counted.isComplete()).isTrue();
        assertThat(growing.totals()).isEqualTo(plan.totals());
        assertThat(growing.plan()).isEqualTo(plan);
    }

    private static void extend(CountedWindows counted, GrowingPlan growing) {
        counted.extend();
        growing.extend();
    }

    @Test
    void packBehindAnUncountedWindowIsNotKnown() {
        int[] lengths = new int[100];
        lengths[3] = DocumentLengths.NOT_COUNTED;
        EpochOrder order = new EpochOrder(1, 100, Shuffle.NONE);
        CountedWindows counted = new CountedWindows(order, RULE.window(), new ArrayLengths(lengths));
        GrowingPlan growing = new GrowingPlan(order, RULE, new ArrayLengths(lengths), counted);
        extend(counted, growing);
        assertThat(growing.packs()).isZero();
        assertThat(counted.isCounted(1)).isTrue();
        assertThatThrownBy(() -> growing.place(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(growing::plan).hasMessage("only 0 of 7 windows are counted");
        lengths[3] = DocumentLengths.BAD;
        extend(counted, growing);
        assertThat(counted.grown()).isEqualTo(7);
        assertThat(growing.isComplete()).isTrue();
    }

    @Test
    void lengthsOfOtherDocumentsAreRefused() {
        EpochOrder order = new EpochOrder(1, 100, Shuffle.FULL);
        assertThatThrownBy(() -> new CountedWindows(order, 16, new ArrayLengths(1, 2)))
                .hasMessage("the order has 100 documents, but there are lengths of 2");
    }
}
