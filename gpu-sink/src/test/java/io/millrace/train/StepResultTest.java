package io.millrace.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.train.TrainStep.StepResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepResultTest {
    private static final StepResult ENQUEUED = new StepResult(Double.NaN, 3, 10);

    /** The device's waits for copies do not count if the host did not wait for the result meanwhile. */
    @ParameterizedTest
    @CsvSource({"0, 0, 3, 10", "100, 0, 3, 110", "100, 30, 33, 80", "20, 30, 23, 10"})
    void waitForCopiesCountsAsTransferAndTheRestAsComputing(long waited, long copies, long transfer, long compute) {
        StepResult found = ENQUEUED.waitedFor(0.5, waited, copies);
        assertThat(found.transferNanos()).isEqualTo(transfer);
        assertThat(found.computeNanos()).isEqualTo(compute);
    }

    @Test
    void resultHasTheLossThatWasFound() {
        assertThat(ENQUEUED.waitedFor(0.5, 1, 0).loss()).isEqualTo(0.5);
    }
}
