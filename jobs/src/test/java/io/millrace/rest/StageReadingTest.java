package io.millrace.rest;

import static io.millrace.rest.Readings.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.Figures;
import io.millrace.metrics.Statistic;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

public class StageReadingTest {
    private static final StageReading DECODE = stage("decode", 4, 1000, 300);

    public static StageReading stage(String name, int parallelism, long records, long ownMillis) {
        return StageReading.unknown(name, parallelism)
                .with(Figures.RECORDS, records)
                .with(Figures.OWN_NANOS, nanos((double) ownMillis))
                .with(Figures.CPU_NANOS, nanos(ownMillis * 0.9))
                .with(Figures.WAIT_IN_NANOS, nanos(5.0))
                .with(Figures.WAIT_OUT_NANOS, nanos(7.0))
                .with(Figures.BYTES_PRODUCED, 64)
                .with(Figures.FAILURES, 2);
    }

    @Test
    void rateIsThatOfASlotThatNeverWaits() {
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
        assertThat(DECODE.orElse(stage("decode", 2, 1, 1))).isEqualTo(DECODE);
    }

    @Test
    void hitsOfACacheAreThoseOfTheStagesThatHaveOne() {
        StageReading tokenize = DECODE.with(Figures.CACHE_HITS, 0.9);

        assertThat(tokenize.json()).containsEntry("cache_hits", 0.9);
        assertThat(DECODE.json()).doesNotContainKey("cache_hits");
        assertThat(StageReading.cacheHits(List.of(DECODE, tokenize, DECODE.with(Figures.CACHE_HITS, 0.5))))
                .isEqualTo(0.7, within(1e-12));
        assertThat(StageReading.cacheHits(List.of(DECODE))).isNull();
    }

    @Test
    void everyStatisticWithAKeyIsInTheJsonAndUnknownIsNull() {
        Map<String, Object> json = DECODE.json();

        for (Statistic statistic : Figures.statistics(Owner.DATA_STAGE)) {
            if (statistic.key() != null && !statistic.equals(Figures.CACHE_HITS.main())) {
                assertThat(json).containsKey(statistic.key());
            }
        }
        assertThat(json).containsEntry("records", 1000L).containsEntry("own_ms", 300.0);
        assertThat(json).containsEntry("own_p99_ms", null);
    }
}
