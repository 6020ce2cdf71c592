package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class MixtureRampTest {
    @Test
    void stepsAreEquallyLongAndHaveTheWeightsOfTheirMiddles() {
        MixtureRamp ramp = new MixtureRamp(4, new long[] {1, 0}, new long[] {0, 1});

        assertThat(ramp.steps()).isEqualTo(4);
        assertThat(ramp.weights(0)).containsExactly(7, 1);
        assertThat(ramp.weights(1)).containsExactly(5, 3);
        assertThat(ramp.weights(3)).containsExactly(1, 7);
        assertThat(ramp.weights(4)).containsExactly(0, 1);
        assertThat(new MixtureRamp(0, new long[] {1}, new long[] {1}).steps()).isZero();
    }

    @Test
    void aLongRampHas256Steps() {
        MixtureRamp ramp = new MixtureRamp(1L << 62, new long[] {3, 1}, new long[] {1, 1});

        assertThat(ramp.steps()).isEqualTo(256);
        assertThat(ramp.start(0)).isZero();
        assertThat(ramp.start(255)).isEqualTo(255L << 54);
        assertThat(ramp.step((255L << 54) - 1)).isEqualTo(254);
        assertThat(ramp.step(255L << 54)).isEqualTo(255);
        assertThat(ramp.step(1L << 62)).isEqualTo(256);
    }

    @Test
    void aStepOfEachPositionIsFound() {
        MixtureRamp ramp = new MixtureRamp(1000, new long[] {3, 1}, new long[] {1, 1});
        for (long position = 0; position < 1000; position++) {
            int step = ramp.step(position);
            assertThat(ramp.start(step)).isLessThanOrEqualTo(position);
            assertThat(ramp.start(step + 1)).isGreaterThan(position);
        }
    }

    @Test
    void weightsThatAreNotExactInALongAreRounded() {
        long large = (1L << 61) - 1;
        MixtureRamp ramp = new MixtureRamp(2, new long[] {large, 2}, new long[] {3, large - 5});

        // A quarter and three quarters of the way; the sums of the exact integers have more than 120 bits.
        assertThat(ramp.weights(0)[0]).isCloseTo((1L << 40) / 4 * 3, within(1L));
        assertThat(ramp.weights(0)[1]).isCloseTo((1L << 40) / 4, within(1L));
        assertThat(new MixtureRamp(1, new long[] {large, 2}, new long[] {large - 4, 1}).weights(0)[1])
                .as("a positive weight stays positive")
                .isEqualTo(1);
    }
}
