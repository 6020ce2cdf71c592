package io.millrace.train.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class UpdatePlanTest {
    @Test
    void restOfAnEpochIsItsLastUpdate() {
        UpdatePlan plan = new UpdatePlan(4, 6);
        assertThat(plan.updatesPerEpoch()).isEqualTo(2);
        assertThat(LongStream.range(0, 12).map(plan::update))
                .containsExactly(0L, 0L, 0L, 0L, 1L, 1L, 2L, 2L, 2L, 2L, 3L, 3L);
        assertThat(LongStream.range(0, 12).filter(plan::endsUpdate)).containsExactly(3L, 5L, 9L, 11L);
    }

    @Test
    void updatesHaveOneSizeWithoutEpochs() {
        UpdatePlan plan = new UpdatePlan(3, 0);
        assertThat(LongStream.range(0, 9).filter(plan::endsUpdate)).containsExactly(2L, 5L, 8L);
    }

    @Test
    void updateOfNoBatchesIsRefused() {
        assertThatThrownBy(() -> new UpdatePlan(0, 5)).hasMessageContaining("at least 1 batch, found 0");
    }

    @Property
    void everyEpochHasTheUpdatesOfProportionallyLargerBatches(
            @ForAll @IntRange(min = 1, max = 20) int batches,
            @ForAll @IntRange(min = 1, max = 50) int steps,
            @ForAll @IntRange(max = 5) int epoch) {
        UpdatePlan plan = new UpdatePlan(batches, steps);
        long first = (long) epoch * steps;
        assertThat(plan.updatesPerEpoch()).isEqualTo((int) Math.ceil((double) steps / batches));
        assertThat(LongStream.range(first, first + steps)
                        .filter(plan::endsUpdate)
                        .count())
                .isEqualTo(plan.updatesPerEpoch());
        assertThat(plan.endsUpdate(first + steps - 1)).isTrue();
        assertThat(plan.update(first)).isEqualTo(epoch * plan.updatesPerEpoch());
        if (batches == 1) {
            assertThat(plan.update(first + steps / 2)).isEqualTo(first + steps / 2);
        }
    }
}
