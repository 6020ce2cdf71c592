package io.millrace.sink.figures;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RunClockTest {
    private static void epoch(RunClock clock, int steps, long nanosPerStep) {
        for (int step = 1; step <= steps; step++) {
            clock.step(10, nanosPerStep, 0, step == steps);
        }
    }

    @Test
    void firstEpochIsWarmUpWhenASecondFollows() {
        RunClock clock = new RunClock(20);
        epoch(clock, 20, 5_000_000);
        epoch(clock, 20, 1_000_000);
        epoch(clock, 20, 1_000_000);

        assertThat(clock.pace().epochMillis()).containsExactly(100.0, 20.0, 20.0);
        assertThat(clock.warmSamples()).isEqualTo(400);
        assertThat(clock.warmNanos()).isEqualTo(40_000_000);
        assertThat(clock.pace().trainNanos()).isEqualTo(140_000_000);
    }

    @Test
    void tenthOfTheEpochIsWarmUpInARunOfOneEpoch() {
        RunClock clock = new RunClock(20);
        epoch(clock, 20, 1_000_000);

        assertThat(clock.warmSamples()).isEqualTo(180);
        assertThat(clock.warmNanos()).isEqualTo(18_000_000);
    }

    @Test
    void batchesMadeBeforeTheTrainerStartedAreWarmUp() {
        RunClock clock = new RunClock(20);
        for (int step = 0; step < 6; step++) {
            clock.step(10, 1_000_000, 0, false);
        }
        for (int step = 6; step < 20; step++) {
            clock.step(10, 9_000_000, 8_000_000, step == 19);
        }

        assertThat(clock.warmSamples()).isEqualTo(140);
        assertThat(clock.warmNanos()).isEqualTo(14 * 9_000_000);
    }

    @Test
    void lateWaitDoesNotExtendTheWarmUp() {
        RunClock clock = new RunClock(20);
        for (int step = 0; step < 20; step++) {
            boolean waits = step == 15;
            clock.step(10, waits ? 9_000_000 : 1_000_000, waits ? 8_000_000 : 0, step == 19);
        }

        assertThat(clock.warmSamples()).isEqualTo(180);
    }

    @Test
    void nothingIsCountedBeforeWarmUpEnds() {
        RunClock clock = new RunClock(100);
        clock.step(10, 1_000_000, 0, false);

        assertThat(clock.warmSamples()).isZero();
        assertThat(clock.warmNanos()).isZero();
    }

    /** The first run had 10,000 samples/s, and the run that continues it has 1,000. */
    @Test
    void anotherRunHasAWarmUpAndAThroughputOfItsOwn() {
        RunClock first = new RunClock(20);
        epoch(first, 20, 1_000_000);
        epoch(first, 20, 1_000_000);

        RunClock then = new RunClock(20, first.state().inAnotherRun());
        assertThat(then.warmNanos()).isZero();
        epoch(then, 20, 10_000_000);
        assertThat(then.warmSamples()).isEqualTo(180);
        assertThat(then.warmNanos()).isEqualTo(180_000_000);

        RunClock restarted = new RunClock(20, first.state());
        epoch(restarted, 20, 10_000_000);
        assertThat(restarted.warmSamples()).as("a restart belongs to its run").isEqualTo(400);
    }

    /** The warm-up of the second run is its first 2 steps, and, because the first epoch has not ended, the rest of it. */
    @Test
    void aRunThatContinuesTheFirstEpochWarmsUpUntilItsEnd() {
        RunClock first = new RunClock(20);
        for (int i = 0; i < 5; i++) {
            first.step(10, 1_000_000, 0, false);
        }
        RunClock then = new RunClock(20, first.state().inAnotherRun());
        for (int i = 5; i < 20; i++) {
            then.step(10, 10_000_000, 0, i == 19);
        }
        assertThat(then.warmSamples())
                .as("before the second epoch: since a tenth of an epoch")
                .isEqualTo(130);
        then.step(10, 2_000_000, 0, false);
        assertThat(then.warmSamples()).isEqualTo(10);
        assertThat(then.warmNanos()).isEqualTo(2_000_000);
    }
}
