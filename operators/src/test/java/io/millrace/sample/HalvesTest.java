package io.millrace.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HalvesTest {
    @Test
    void everyHalfSurvivesTheRoundTrip() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float value = Halves.toFloat((short) bits);
            if (!Float.isNaN(value)) {
                assertThat(Halves.fromDouble(value)).isEqualTo((short) bits);
            }
        }
    }

    @Test
    void numberBetweenTwoHalvesIsRoundedToTheNearerAndFromTheMiddleToTheEven() {
        for (int bits = 0; bits < 0x7bff; bits++) {
            double below = Halves.toFloat((short) bits);
            double above = Halves.toFloat((short) (bits + 1));
            double middle = (below + above) / 2;
            assertThat(Halves.fromDouble(middle)).isEqualTo((short) (bits % 2 == 0 ? bits : bits + 1));
            assertThat(Halves.fromDouble(Math.nextDown(middle))).isEqualTo((short) bits);
            assertThat(Halves.fromDouble(Math.nextUp(middle))).isEqualTo((short) (bits + 1));
        }
    }
}
