package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.metrics.StageMetrics;
import org.junit.jupiter.api.Test;

public class StageReadingTest {
    private static final StageReading DECODE = stage("decode", 4, 1000, 300);

    public static StageReading stage(String name, int parallelism, long records, long ownMillis) {
        long nanos = ownMillis * 1_000_000;
        return StageReading.of(
                name,
                parallelism,
                new StageMetrics.Totals(nanos, nanos / 10 * 9, 5_000_000, 7_000_000, records, 64, 2));
    }

    @Test
    void rateIsOfABusySlot() {
        assertThat(DECODE.recordsPerSecondPerSlot()).hasValue(1_000_000 / 300.0);
    }

    @Test
    void stageThatHandledNothingHasNoRate() {
        assertThat(stage("read", 1, 0, 10).recordsPerSecondPerSlot()).isEmpty();
    }

    @Test
    void earlierValuesFillInForUnknownOnes() {
        assertThat(StageReading.unknown("decode").orElse(DECODE)).isEqualTo(DECODE);
        assertThat(stage("decode", 4, 2000, 600).orElse(DECODE).records()).isEqualTo(2000);
        StageReading all =
                new StageReading("decode", 4, 1L, 2.0, 3.0, 4.0, 5.0, 6L, 7L, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0);
        assertThat(StageReading.unknown("decode").orElse(all)).isEqualTo(all);
        assertThat(all.orElse(DECODE)).isEqualTo(all);
    }
}
