package io.millrace.report;

import static io.millrace.rest.Readings.nanos;
import static io.millrace.rest.StageReadingTest.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.metrics.Figures;
import io.millrace.rest.JobReading;
import io.millrace.rest.MachinesReading;
import io.millrace.rest.TrainerReading;
import io.millrace.sample.SampleUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressMeterTest {
    private static final long SECOND = 1_000_000_000L;

    private final ProgressMeter meter = new ProgressMeter(1000, 3L, SampleUnit.ROWS);

    private static JobReading reading(long samples, long epoch, double starvedMillis) {
        return reading(samples, epoch, starvedMillis, 0, 0);
    }

    private static JobReading reading(
            long samples, long epoch, double starvedMillis, double clockMillis, double evaluationMillis) {
        TrainerReading trainer = TrainerReading.UNKNOWN
                .with(Figures.STEPS, samples / 10)
                .with(Figures.SAMPLES, samples)
                .with(Figures.EPOCH, epoch)
                .with(Figures.LOSS, 0.5)
                .with(Figures.STARVED_NANOS, nanos(starvedMillis))
                .with(Figures.CLOCK_NANOS, nanos(clockMillis))
                .with(Figures.EVALUATION_NANOS, nanos(evaluationMillis));
        return new JobReading(
                "RUNNING",
                List.of(stage("read", 1, 10, 1), stage("decode", 1, 10, 9)),
                trainer,
                List.of(),
                MachinesReading.UNKNOWN);
    }

    @Test
    void ratesCoverTheLastSeconds() {
        for (int second = 0; second <= 20; second++) {
            meter.next(reading(second * 10L, 0, 0, second * 1000.0, 0), second * SECOND);
        }
        ProgressReading faster = meter.next(reading(200 + 500, 0, 500, 25_000, 0), 25 * SECOND);
        assertThat(faster.imagesPerSecond()).isCloseTo(100, within(1e-9));
        assertThat(faster.starvation()).isCloseTo(0.1, within(1e-9));
    }

    /** The trainer's figures are those of its latest step; readings arrive at any time between two steps. */
    @Test
    void starvationIsTheShareOfTheTrainersOwnTime() {
        meter.next(reading(10, 0, 0, 100, 0), 0);
        assertThat(meter.next(reading(20, 0, 50, 200, 0), SECOND).starvation()).isCloseTo(0.5, within(1e-9));
        assertThat(meter.next(reading(20, 0, 50, 200, 0), 2 * SECOND).starvation())
                .isCloseTo(0.5, within(1e-9));
    }

    @Test
    void timeOfEvaluationsIsNoPartOfTheWhole() {
        meter.next(reading(10, 0, 0, 100, 0), 0);
        assertThat(meter.next(reading(20, 0, 50, 1100, 900), SECOND).starvation())
                .isCloseTo(0.5, within(1e-9));
    }

    @Test
    void stepsThatTakeLongerThanTheWindowHaveARate() {
        meter.next(reading(100, 0, 0), 0);
        for (int second = 1; second < 20; second++) {
            meter.next(reading(100, 0, 0), second * SECOND);
        }
        assertThat(meter.next(reading(200, 0, 0), 20 * SECOND).imagesPerSecond())
                .isCloseTo(5, within(1e-9));
        assertThat(meter.next(reading(200, 0, 0), 27 * SECOND).imagesPerSecond())
                .isCloseTo(100 / 27.0, within(1e-9));
        meter.next(reading(300, 0, 0), 40 * SECOND);
        assertThat(meter.next(reading(300, 0, 0), 46 * SECOND).imagesPerSecond())
                .isPositive();
    }

    @Test
    void samplesAreCountedWithinTheEpoch() {
        ProgressReading progress = meter.next(reading(1250, 1, 0), 0);
        assertThat(progress.epoch()).isEqualTo(2);
        assertThat(progress.samples()).isEqualTo(250);
        assertThat(progress.imagesPerSecond()).as("the rate after one reading").isNull();
    }

    @Test
    void restartFromACheckpointBeginsNewRates() {
        meter.next(reading(500, 0, 0), 0);
        assertThat(meter.next(reading(400, 0, 0), SECOND).imagesPerSecond()).isNull();
        assertThat(meter.next(reading(450, 0, 0), 2 * SECOND).imagesPerSecond()).isCloseTo(50, within(1e-9));
    }

    @Test
    void unknownFiguresShowTheBeginning() {
        JobReading nothing = JobReading.unknown("CREATED", List.of());
        assertThat(meter.next(nothing, 0))
                .isEqualTo(new ProgressReading(1, 3L, 0, 1000, SampleUnit.ROWS, null, null, null, "", null));
    }
}
