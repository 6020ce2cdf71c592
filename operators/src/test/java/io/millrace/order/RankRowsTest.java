package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.order.BatchPlan.Batch;
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
            @ForAll boolean dropLast) {
        Assume.that(size > (ranks - 1) * batch && (!dropLast || size >= ranks * batch));
        BatchPlan plan = new BatchPlan(size, ranks * batch, dropLast, 3, evaluation, 2);
        RankRows split = new RankRows(plan, ranks);
        BitSet seen = new BitSet();
        for (int rank = 0; rank < ranks; rank++) {
            RankPlan mine = new RankPlan(split, rank);
            for (long number = 0; number < mine.batches(); number++) {
                Batch part = mine.batch(number);
                Batch whole = plan.batch(number);
                assertThat(part.rows()).isBetween(0, batch);
                assertThat(part.step()).isEqualTo(whole.step());
                assertThat(part.last()).isEqualTo(whole.last());
                for (int row = 0; row < part.rows(); row++) {
                    long position = part.firstPosition() + row;
                    assertThat(split.rank(position)).isEqualTo(rank);
                    assertThat(mine.batchNumber(position)).isEqualTo(number);
                    assertThat(position - whole.firstPosition()).isEqualTo((long) rank * batch + row);
                    assertThat(seen.get((int) position)).isFalse();
                    seen.set((int) position);
                }
            }
        }
        assertThat(seen.cardinality()).isEqualTo((int) plan.positions());
    }

    @Test
    void lastBatchGivesTheLastRanksFewerRowsOrNone() {
        RankRows split = new RankRows(new BatchPlan(29, 12, false, 1, 0, 1), 3);

        assertThat(split.batch(2, 0).rows()).isEqualTo(4);
        assertThat(split.batch(2, 1).rows()).isEqualTo(1);
        assertThat(split.batch(2, 2).rows()).isZero();
    }

    @Test
    void rankThatWouldNeverGetASampleIsRefused() {
        BatchPlan plan = new BatchPlan(64, 96, false, 1, 0, 1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RankRows(plan, 3))
                .withMessageContaining("rank 2 of 3 would never get a sample")
                .withMessageContaining("64 samples");
    }

    @Test
    void batchThatCannotBeSplitEvenlyIsRefused() {
        BatchPlan plan = new BatchPlan(64, 10, false, 1, 0, 1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RankRows(plan, 3))
                .withMessageContaining("10 rows cannot be split evenly among 3 ranks");
    }
}
