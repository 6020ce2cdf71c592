package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.order.BatchPlan.Batch;
import io.millrace.sample.Split;
import java.util.BitSet;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RankRowsTest {
    @Property(tries = 300)
    void everyPositionBelongsToOneRankAndAllRanksTakeTheSameNumberOfSteps(
            @ForAll @IntRange(min = 1, max = 90) int size,
            @ForAll @IntRange(min = 1, max = 7) int batch,
            @ForAll @IntRange(min = 1, max = 5) int ranks,
            @ForAll @IntRange(min = 0, max = 30) int evaluation,
            @ForAll boolean dropLast,
            @ForAll Tail tail) {
        Assume.that(size > (ranks - 1) * (tail == Tail.ALL_RANKS ? 1 : batch) && (!dropLast || size >= ranks * batch));
        BatchPlan plan = new BatchPlan(size, ranks * batch, dropLast, 3, evaluation, 2);
        RankRows split = new RankRows(plan, ranks, tail);
        BitSet seen = new BitSet();
        for (int rank = 0; rank < ranks; rank++) {
            RankPlan mine = new RankPlan(split, rank);
            for (long number = 0; number < mine.batches(); number++) {
                Batch part = mine.batch(number);
                Batch whole = plan.batch(number);
                if (tail == Tail.FIRST_RANKS) {
                    assertThat(part.rows()).isBetween(0, batch);
                    assertThat(part.firstPosition() - whole.firstPosition())
                            .isEqualTo(Math.min(rank * batch, whole.rows()));
                } else {
                    assertThat(part.rows()).isBetween(whole.rows() / ranks, (whole.rows() + ranks - 1) / ranks);
                }
                assertThat(part.step()).isEqualTo(whole.step());
                assertThat(part.last()).isEqualTo(whole.last());
                for (int row = 0; row < part.rows(); row++) {
                    long position = part.firstPosition() + row;
                    assertThat(split.rank(position)).isEqualTo(rank);
                    assertThat(mine.batchNumber(position)).isEqualTo(number);
                    assertThat(seen.get((int) position)).isFalse();
                    seen.set((int) position);
                }
            }
        }
        assertThat(seen.cardinality()).isEqualTo((int) plan.positions());
    }

    @Test
    void lastBatchGivesTheLastRanksFewerRowsOrNone() {
        RankRows split = new RankRows(new BatchPlan(29, 12, false, 1, 0, 1), 3, Tail.FIRST_RANKS);

        assertThat(split.batch(2, 0).rows()).isEqualTo(4);
        assertThat(split.batch(2, 1).rows()).isEqualTo(1);
        assertThat(split.batch(2, 2).rows()).isZero();
    }

    @Test
    void allRanksShareALastBatchIfTheyCan() {
        RankRows split = new RankRows(new BatchPlan(29, 12, false, 2, 0, 1), 3, Tail.ALL_RANKS);

        assertThat(split.batch(1, 2)).isEqualTo(new Batch(1, 0, Split.TRAIN, 1, 20, 4, false));
        assertThat(split.batch(2, 0)).isEqualTo(new Batch(2, 0, Split.TRAIN, 2, 24, 2, true));
        assertThat(split.batch(2, 1)).isEqualTo(new Batch(2, 0, Split.TRAIN, 2, 26, 2, true));
        assertThat(split.batch(2, 2)).isEqualTo(new Batch(2, 0, Split.TRAIN, 2, 28, 1, true));
        RankRows one = new RankRows(new BatchPlan(13, 12, false, 2, 0, 1), 3, Tail.ALL_RANKS);
        assertThat(one.batch(1, 0).rows()).isEqualTo(1);
        assertThat(one.batch(1, 2)).isEqualTo(new Batch(1, 0, Split.TRAIN, 1, 13, 0, true));
    }

    @Test
    void rankThatWouldNeverGetASampleIsRefused() {
        BatchPlan plan = new BatchPlan(64, 96, false, 1, 0, 1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RankRows(plan, 3, Tail.FIRST_RANKS))
                .withMessageContaining("rank 2 of 3 would never get a sample")
                .withMessageContaining("64 samples");
        assertThat(new RankRows(plan, 3, Tail.ALL_RANKS).batch(0, 2).rows()).isEqualTo(21);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RankRows(new BatchPlan(2, 3, false, 1, 0, 1), 3, Tail.ALL_RANKS))
                .withMessageContaining("rank 2 of 3 would never get a sample");
    }

    @Test
    void batchThatCannotBeSplitEvenlyIsRefused() {
        BatchPlan plan = new BatchPlan(64, 10, false, 1, 0, 1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RankRows(plan, 3, Tail.ALL_RANKS))
                .withMessageContaining("10 rows cannot be split evenly among 3 ranks");
    }
}
