package io.millrace.report.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void percentilesAndBinsCoverAllValues() {
        Histogram nanos = new Histogram(3);
        for (int i = 1; i <= 1_000; i++) {
            nanos.recordValue(i * 100_000L);
        }
        Spread spread = Spread.of(nanos);
        assertThat(spread.p50()).isCloseTo(50, Percentage.withPercentage(0.2));
        assertThat(spread.p99()).isCloseTo(99, Percentage.withPercentage(0.2));
        assertThat(spread.max()).isCloseTo(100, Percentage.withPercentage(0.2));
        assertThat(spread.bins().stream().mapToLong(Spread.Bin::count).sum()).isEqualTo(1_000);
        List<Spread.Bin> bins = spread.bins();
        for (int i = 1; i < bins.size(); i++) {
            assertThat(bins.get(i).from()).isCloseTo(bins.get(i - 1).to(), within(1e-12));
        }
    }

    @Test
    void durationsBelowTheClocksResolutionShareABin() {
        Histogram nanos = new Histogram(3);
        nanos.recordValue(0);
        nanos.recordValue(999);
        assertThat(Spread.of(nanos).bins())
                .containsExactly(
                        new Spread.Bin(0, Spread.of(nanos).bins().get(0).to(), 2));
    }
}
