package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import java.util.ArrayList;
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
    void windowsInAnyOrderMakeThePlanOfTheCounter(
            @ForAll long seed, @ForAll @IntRange(min = 0, max = 3000) int documents) {
        EpochOrder order = new EpochOrder(seed, documents, Shuffle.FULL);
        int[] lengths = LengthSamples.WEB.lengths(documents, seed);
        SequencePlan plan = new PackCounter(order, RULE, new ArrayLengths(lengths)).count();
        Packs packs = new Packs(plan, new ArrayLengths(lengths));

        GrowingPlan growing = new GrowingPlan(order, RULE);
        List<Integer> windows =
                new ArrayList<>(IntStream.range(0, plan.windows()).boxed().toList());
        Collections.shuffle(windows, new Random(seed));
        List<List<List<Slice>>> byWindow = new ArrayList<>(Collections.nCopies(plan.windows(), List.of()));
        for (int window : windows) {
            assertThat(growing.isComplete()).isFalse();
            byWindow.set(window, growing.add(window, lengths(order, lengths, window)));
            if (growing.packs() > 0) {
                long last = growing.packs() - 1;
                assertThat(growing.place(last)).isEqualTo(plan.place(0, last));
                assertThat(growing.place(last / 2)).isEqualTo(plan.place(0, last / 2));
            }
        }
        assertThat(growing.counted()).isEqualTo(documents);
        assertThat(growing.plan()).isEqualTo(plan);
        long number = 0;
        for (List<List<Slice>> window : byWindow) {
            for (List<Slice> pack : window) {
                assertThat(pack).isEqualTo(packs.pack(0, number++));
            }
        }
        assertThat(number).isEqualTo(plan.packs());
    }

    private static int[] lengths(EpochOrder order, int[] lengths, int window) {
        int first = window * RULE.window();
        return IntStream.range(first, (int) Math.min(order.size(), first + RULE.window()))
                .map(i -> lengths[(int) order.index(0, i)])
                .toArray();
    }

    @Test
    void packBehindAnUncountedWindowIsNotKnown() {
        GrowingPlan growing = new GrowingPlan(new EpochOrder(1, 100, Shuffle.FULL), RULE);
        growing.add(1, new int[16]);
        assertThatThrownBy(() -> growing.place(0))
                .hasMessage("pack 0 is not known yet: the documents are still being counted, 16 of 100 so far, and the"
                        + " first 0 packs are known");
        growing.add(0, new int[16]);
        assertThat(growing.place(1).window()).isEqualTo(1);
        assertThat(growing.packs()).isEqualTo(2);
        assertThatThrownBy(growing::plan).hasMessage("only 32 of 100 documents are counted");
    }

    @Test
    void windowThatIsCountedAgainMustBeTheSame() {
        GrowingPlan growing = new GrowingPlan(new EpochOrder(1, 100, Shuffle.FULL), RULE);
        List<List<Slice>> packs = growing.add(0, new int[16]);
        assertThat(growing.add(0, new int[16])).isEqualTo(packs);
        assertThat(growing.counted()).isEqualTo(16);
        int[] changed = new int[16];
        changed[3] = 3000;
        assertThatThrownBy(() -> growing.add(0, changed))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("window 0 had 1 packs, and now has 4");
    }

    @Test
    void wrongWindowsAreRefused() {
        GrowingPlan growing = new GrowingPlan(new EpochOrder(1, 100, Shuffle.FULL), RULE);
        assertThatThrownBy(() -> growing.add(6, new int[16]))
                .hasMessage("window 6 of 7 has 4 documents, but there are lengths of 16");
        assertThatThrownBy(() -> growing.add(7, new int[0])).hasMessageStartingWith("window 7 of 7 has 0 documents");
        assertThatThrownBy(() -> growing.add(-1, new int[16])).hasMessageStartingWith("window -1 of 7");
    }
}
