package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.metrics.HistogramStatistics;
import org.junit.jupiter.api.Test;

class NanosHistogramTest {
    private final NanosHistogram histogram = new NanosHistogram();

    @Test
    void quantilesCoverAllDurationsToTwoDigits() {
        for (int i = 1; i <= 1000; i++) {
            histogram.update(i * 1_000_000L);
        }

        HistogramStatistics statistics = histogram.getStatistics();
        assertThat(histogram.getCount()).isEqualTo(1000);
        assertThat(statistics.getQuantile(0.5)).isCloseTo(500e6, within(5e6));
        assertThat(statistics.getQuantile(0.99)).isCloseTo(990e6, within(9.9e6));
        assertThat((double) statistics.getMax()).isCloseTo(1000e6, within(10e6));
        assertThat((double) statistics.getMin()).isCloseTo(1e6, within(1e4));
        assertThat(statistics.getMean()).isCloseTo(500.5e6, within(5e6));
    }

    @Test
    void laterReadingsIncludeEarlierDurations() {
        histogram.update(5);
        assertThat(histogram.getStatistics().getMax()).isEqualTo(5);
        for (int i = 0; i < 4; i++) {
            histogram.update(3);
        }

        assertThat(histogram.getCount()).isEqualTo(5);
        assertThat(histogram.getStatistics().getMax()).isEqualTo(5);
        assertThat(histogram.getStatistics().getQuantile(0.5)).isEqualTo(3);
    }

    @Test
    void emptyHistogramIsNotANumber() {
        assertThat(histogram.getStatistics().getQuantile(0.99)).isNaN();
        assertThat(histogram.getStatistics().getMean()).isNaN();
        assertThat(histogram.getStatistics().getStdDev()).isNaN();
        assertThat(histogram.getCount()).isZero();
    }

    @Test
    void nothingIsLostDuringReadings() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Thread reader = new Thread(() -> {
            while (!ended.get()) {
                histogram.getStatistics();
            }
        });
        reader.start();
        for (int i = 0; i < 1_000_000; i++) {
            histogram.update(i);
        }
        ended.set(true);
        reader.join();

        assertThat(histogram.getCount()).isEqualTo(1_000_000);
    }
}
