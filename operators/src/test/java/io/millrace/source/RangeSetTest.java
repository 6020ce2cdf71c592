package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class RangeSetTest {
    private record Change(boolean add, Range range) {}

    @Provide
    Arbitrary<List<Change>> changes() {
        Arbitrary<Range> range = Combinators.combine(
                        Arbitraries.longs().between(0, 60), Arbitraries.longs().between(1, 20))
                .as((from, length) -> new Range(from, from + length));
        return Combinators.combine(Arbitraries.of(true, false), range)
                .as(Change::new)
                .list()
                .ofMaxSize(30);
    }

    @Property
    void changesHaveTheSameResultAsInABitSet(@ForAll("changes") List<Change> changes) {
        RangeSet set = new RangeSet();
        BitSet expected = new BitSet();
        for (Change change : changes) {
            int from = (int) change.range().from();
            int to = (int) change.range().to();
            expected.set(from, to, change.add());
            if (change.add()) {
                set.add(change.range());
            } else {
                set.remove(change.range());
            }
        }

        BitSet found = new BitSet();
        long end = 0;
        for (Range range : set.ranges()) {
            assertThat(range.from()).as("ascending and disjoint").isGreaterThanOrEqualTo(end);
            end = range.to();
            found.set((int) range.from(), (int) range.to());
        }
        assertThat(found).isEqualTo(expected);
        assertThat(set.first())
                .isEqualTo(set.ranges().isEmpty() ? null : set.ranges().get(0));
    }

    @Test
    void adjacentRangesAreNotMerged() {
        RangeSet set = new RangeSet();
        set.add(new Range(4, 8));
        set.add(new Range(0, 4));

        assertThat(set.ranges()).containsExactly(new Range(0, 4), new Range(4, 8));
    }

    @Test
    void addingAnOverlappingRangeFillsTheGaps() {
        RangeSet set = new RangeSet();
        set.add(new Range(4, 6));
        set.add(new Range(0, 10));

        assertThat(set.ranges()).containsExactly(new Range(0, 4), new Range(4, 6), new Range(6, 10));
    }
}
