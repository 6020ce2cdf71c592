package io.millrace.report.html;

import static io.millrace.rest.Readings.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.metrics.Figures;
import io.millrace.rest.JobReading;
import io.millrace.rest.MachinesReading;
import io.millrace.rest.TrainerReading;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReadingLogTest {
    private final ReadingLog log = new ReadingLog();

    @Test
    void twoReadingsMakeASpan() {
        log.add(reading(1_000.0, 100L, 50.0, 2.0));
        log.add(reading(3_000.0, 500L, 550.0, 1.0));
        assertThat(log.spans()).containsExactly(new StepSpan(2, 2, 0.5, 400, 400, 400));
    }

    @Test
    void restartedTrainerLeavesAGapAndNoNegativeSpan() {
        log.add(reading(90_000.0, 500L, 550.0, 1.0));
        log.add(reading(1_000.0, 300L, 10.0, 1.0));
        log.add(reading(2_000.0, 400L, 20.0, Double.NaN));
        assertThat(log.spans()).containsExactly(new StepSpan(1, 1, 0.01, 100, 0, 0));
    }

    @Test
    void readingsWithoutFiguresAreIgnored() {
        log.add(JobReading.unknown("CREATED", List.of("read")));
        log.add(reading(1_000.0, 100L, null, null));
        log.add(reading(2_000.0, 200L, 5.0, 1.0));
        assertThat(log.spans()).isEmpty();
    }

    private static JobReading reading(Double clock, Long samples, @Nullable Double starved, @Nullable Double loss) {
        TrainerReading trainer = TrainerReading.UNKNOWN
                .with(Figures.CLOCK_NANOS, nanos(clock))
                .with(Figures.SAMPLES, samples)
                .with(Figures.STARVED_NANOS, nanos(starved))
                .with(Figures.LOSS, loss);
        return new JobReading("RUNNING", List.of(), trainer, List.of(), MachinesReading.UNKNOWN);
    }
}
