package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TrendTest {
    private static final double[] TIMES =
            IntStream.range(0, 25).mapToDouble(i -> i * 0.25).toArray();

    /** Returns counts of 64 a second that arrive in bursts of 64, of which one arrives at the first reading and one at the last. */
    private static double[] bursts() {
        return IntStream.range(0, TIMES.length)
                .mapToDouble(i -> 64 * (1 + i / 4))
                .toArray();
    }

    @Test
    void slopeOfALineIsItsRate() {
        double[] counts = IntStream.range(0, TIMES.length)
                .mapToDouble(i -> 7 + 30 * TIMES[i])
                .toArray();
        Trend trend = Trend.of(TIMES, counts);

        assertThat(trend.slope()).isCloseTo(30, within(1e-9));
        assertThat(trend.ends(TIMES, counts))
                .satisfies(ends -> assertThat(ends[1] - ends[0]).isGreaterThan(12));
    }

    @Test
    void burstsHardlyChangeTheSlope() {
        double[] counts = bursts();
        Trend trend = Trend.of(TIMES, counts);
        int[] ends = trend.ends(TIMES, counts);
        double between = (counts[ends[1]] - counts[ends[0]]) / (TIMES[ends[1]] - TIMES[ends[0]]);

        assertThat(trend.slope()).isCloseTo(64, within(2.0));
        assertThat(between).isCloseTo(trend.slope(), within(1.0));
        assertThat(ends[0]).isLessThan(6);
        assertThat(ends[1]).isGreaterThan(18);
    }

    @Test
    void fewReadingsAreUsedWhole() {
        double[] times = {0, 1, 2};
        double[] counts = {0, 0, 64};

        assertThat(Trend.of(times, counts).ends(times, counts)).containsExactly(0, 2);
        assertThat(Trend.of(new double[] {3}, new double[] {5}).slope()).isZero();
    }
}
