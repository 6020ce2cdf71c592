package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SteadySpeedTest {
    private final SteadySpeed speed = new SteadySpeed(1);

    private double seconds;
    private long samples;

    private void run(long... rates) {
        if (seconds == 0) {
            speed.add(0, 0);
        }
        for (long rate : rates) {
            seconds += 1;
            samples += rate;
            speed.add(seconds, samples);
        }
    }

    @Test
    void speedIsUnknownBeforeTheFirstIntervalEnds() {
        speed.add(0, 0);
        speed.add(0.9, 500);

        assertThat(speed.samplesPerSecond()).isEmpty();
        assertThat(speed.spread()).isEmpty();
    }

    @Test
    void warmUpDoesNotCount() {
        run(100, 300, 700, 1_000, 1_000, 1_010, 990, 1_000, 1_000);

        assertThat(speed.samplesPerSecond().orElseThrow()).isCloseTo(1_000, within(1e-6));
        assertThat(speed.spread().orElseThrow()).isLessThan(0.005);
    }

    @Test
    void oneDisturbedIntervalCountsLittle() {
        run(1_000, 1_000, 1_000, 200, 1_000, 1_000);

        assertThat(speed.samplesPerSecond().orElseThrow()).isEqualTo(1_000);
        assertThat(speed.spread().orElseThrow()).isZero();
    }

    @Test
    void unsteadySpeedHasASpread() {
        run(1_000, 2_000, 1_000, 2_000, 1_000, 2_000);

        assertThat(speed.spread().orElseThrow()).isGreaterThan(0.3);
    }

    @Test
    void speedRisesWhileProcessesStart() {
        run(100, 200, 300, 330, 360);
        assertThat(speed.rises()).as("too few intervals").isFalse();

        run(390);
        assertThat(speed.rises()).isTrue();

        run(410, 420, 415);
        assertThat(speed.rises()).isTrue();

        run(418, 412, 419);
        assertThat(speed.rises()).isFalse();
    }

    @Test
    void noiseIsNoRise() {
        run(1_000, 1_020, 980, 1_040, 1_060, 1_030);
        assertThat(speed.rises()).isFalse();

        run(1_000, 600, 1_000, 1_200, 900, 1_200, 1_300, 1_250);
        assertThat(speed.rises()).isFalse();
    }

    @Test
    void standstillIsNotSteady() {
        run(0, 0, 0, 0, 0, 0, 0);

        assertThat(speed.samplesPerSecond()).hasValue(0);
        assertThat(speed.spread()).isEmpty();
    }

    @Test
    void restartBeginsANewInterval() {
        run(1_000, 1_000);
        speed.add(3, 500);
        speed.add(4, 1_500);

        assertThat(speed.intervals()).isEqualTo(3);
        assertThat(speed.samplesPerSecond()).hasValue(1_000);
    }

    @Test
    void emptyIntervalIsRejected() {
        assertThatThrownBy(() -> new SteadySpeed(0)).hasMessage("interval: expected more than 0 s, found 0.0");
    }
}
