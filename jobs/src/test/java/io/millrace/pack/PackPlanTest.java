package io.millrace.pack;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class PackPlanTest {
    @Property
    void everySampleIsInOneTask(
            @ForAll @LongRange(min = 1, max = 1_000_000) long samples,
            @ForAll @DoubleRange(min = 1, max = 1e6) double meanBytes,
            @ForAll @LongRange(min = 1, max = 1L << 40) long shardBytes) {
        PackPlan plan = PackPlan.of(samples, meanBytes, shardBytes);
        assertThat(plan.first(0)).isZero();
        assertThat(plan.end(plan.tasks() - 1)).isEqualTo(samples);
        long middle = plan.tasks() / 2;
        assertThat(plan.end(middle)).isGreaterThan(plan.first(middle));
        if (middle > 0) {
            assertThat(plan.end(middle - 1)).isEqualTo(plan.first(middle));
        }
    }

    @Test
    void tasksHaveEqualSizes() {
        PackPlan plan = PackPlan.of(1001, 1000, 100_000);
        assertThat(plan.tasks()).isEqualTo(11);
        assertThat(plan.samplesPerTask()).isEqualTo(91);
    }

    @Test
    void samplesLargerThanAShardGetATaskEach() {
        assertThat(PackPlan.of(5, 1e9, 1000)).isEqualTo(new PackPlan(5, 1));
    }
}
