package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CheckpointRefillTest {
    private final CheckpointRefill refill = new CheckpointRefill();

    @Test
    void excessOfTheFirstWaitAfterACheckpointIsRefill() {
        assertThat(refill.of(20)).isZero();
        refill.copied();
        assertThat(refill.of(130)).isEqualTo(110);
        assertThat(refill.of(20)).isZero();
        assertThat(refill.of(400)).as("a wait without a checkpoint").isZero();
    }

    @Test
    void shorterWaitAfterACheckpointIsNoRefill() {
        assertThat(refill.of(20)).isZero();
        refill.copied();
        assertThat(refill.of(15)).isZero();
    }

    /** With a checkpoint before each step, all waits are alike: it is unknown which part the data causes. */
    @Test
    void equalWaitsAfterSuccessiveCheckpointsAreStarvation() {
        assertThat(refill.of(100)).isZero();
        for (int step = 0; step < 3; step++) {
            refill.copied();
            assertThat(refill.of(100)).isZero();
        }
    }

    @Test
    void evaluationAfterTheCheckpointTakesTheWait() {
        assertThat(refill.of(20)).isZero();
        refill.copied();
        refill.evaluated();
        assertThat(refill.of(130)).isZero();
    }
}
