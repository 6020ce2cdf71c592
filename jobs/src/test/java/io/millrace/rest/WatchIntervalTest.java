package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.metrics.Figures;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchIntervalTest {
    private static final WatchInterval INTERVAL = new WatchInterval(Duration.ofSeconds(3), Duration.ofSeconds(15));

    private static JobReading steps(long steps) {
        JobReading unknown = JobReading.unknown("RUNNING", List.of());
        return new JobReading(
                "RUNNING", List.of(), TrainerReading.UNKNOWN.with(Figures.STEPS, steps), List.of(), unknown.machines());
    }

    private static long seconds(long last, JobReading before, JobReading now) {
        return INTERVAL.after(Duration.ofSeconds(last), before, now).toSeconds();
    }

    @Test
    void itGrowsWhileNoStepIsDone() {
        assertThat(seconds(3, steps(7), steps(7))).isEqualTo(6);
        assertThat(seconds(6, steps(7), steps(7))).isEqualTo(12);
        assertThat(seconds(12, steps(7), steps(7))).isEqualTo(15);
        assertThat(seconds(15, steps(7), steps(7))).isEqualTo(15);
    }

    @Test
    void itIsShortAgainAfterAStep() {
        assertThat(seconds(15, steps(7), steps(8))).isEqualTo(3);
    }

    @Test
    void itDoesNotGrowBeforeTheFirstStep() {
        JobReading unknown = JobReading.unknown("CREATED", List.of());
        assertThat(seconds(3, unknown, unknown)).isEqualTo(3);
        assertThat(seconds(3, steps(0), steps(0))).isEqualTo(3);
    }
}
