package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.millrace.metrics.Figure.Owner;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.metrics.Histogram;
import org.junit.jupiter.api.Test;

class StageMetricsTest {
    private final RecordingMetricGroup group = new RecordingMetricGroup();
    private final StageMetrics metrics = new StageMetrics(group);

    @Test
    void ownTimeAndWaitsAreMeasuredSeparately() {
        long began = System.nanoTime();
        metrics.received();
        spin(1_000_000);
        metrics.worked(10);
        spin(2_000_000);
        metrics.handedOn();
        spin(4_000_000);
        metrics.received();
        metrics.worked(20);
        metrics.handedOn();
        long elapsed = System.nanoTime() - began;

        StageMetrics.Totals totals = metrics.totals();
        assertThat(totals.records()).isEqualTo(2);
        assertThat(totals.bytes()).isEqualTo(30);
        // A loaded machine may take longer, but each time has its own part of the elapsed time.
        assertThat(totals.ownNanos()).isGreaterThanOrEqualTo(1_000_000);
        assertThat(totals.waitOutNanos()).isGreaterThanOrEqualTo(2_000_000);
        assertThat(totals.waitInNanos()).isGreaterThanOrEqualTo(4_000_000);
        assertThat(totals.ownNanos() + totals.waitOutNanos() + totals.waitInNanos())
                .isLessThanOrEqualTo(elapsed);
    }

    /** Tests the move of time from a stage to the next one, whose calls lie within the first one's handing on. */
    @Test
    void workForTheNextStageCountsAsItsOwn() {
        StageMetrics next = new StageMetrics(new RecordingMetricGroup());
        long ahead = 1_500_000;
        long began = System.nanoTime();
        for (int i = 0; i < 3; i++) {
            metrics.received();
            spin(2_000_000);
            long aheadCpu = metrics.workedAhead(10, ahead, true);
            next.received(ahead, aheadCpu, 0);
            next.worked(10);
            next.handedOn();
            metrics.handedOn();
        }
        long elapsed = System.nanoTime() - began;

        StageMetrics.Totals first = metrics.totals();
        StageMetrics.Totals second = next.totals();
        assertThat(first.ownNanos()).isBetween(3 * (2_000_000 - ahead), elapsed - 3 * ahead);
        assertThat(first.waitOutNanos()).isGreaterThanOrEqualTo(3 * ahead);
        assertThat(first.ownNanos() + first.waitOutNanos() + first.waitInNanos())
                .isLessThanOrEqualTo(elapsed);
        assertThat(second.ownNanos()).isBetween(3 * ahead, elapsed);
        assertThat(second.ownNanos() + second.waitOutNanos() + second.waitInNanos())
                .isLessThanOrEqualTo(elapsed);
        assertThat(second.cpuNanos()).isBetween(1L, second.ownNanos() * 2);
        assertThat(first.ownNanos() + second.ownNanos()).isLessThanOrEqualTo(elapsed);
    }

    /** Tests the move of time from a stage to two later ones, whose work another process did in the same call. */
    @Test
    void workOfAnotherProcessForLaterStagesCountsAsTheirOwn() {
        StageMetrics second = new StageMetrics(new RecordingMetricGroup());
        StageMetrics third = new StageMetrics(new RecordingMetricGroup());
        long began = System.nanoTime();
        for (int i = 0; i < 3; i++) {
            metrics.received();
            spin(3_000_000);
            metrics.workedElsewhere(7_000_000);
            metrics.workedAhead(10, 2_500_000, false);
            second.received(1_500_000, 4_000_000, 1_000_000);
            second.worked(20);
            third.received(1_000_000, 5_000_000, 0);
            third.worked(30);
            third.handedOn();
            second.handedOn();
            metrics.handedOn();
        }
        long elapsed = System.nanoTime() - began;

        assertThat(metrics.totals().ownNanos()).isBetween(3 * 500_000L, elapsed - 3 * 2_500_000);
        assertThat(metrics.totals().cpuNanos()).isGreaterThanOrEqualTo(3 * 7_000_000);
        assertThat(second.totals().ownNanos()).isBetween(3 * 1_500_000L, elapsed - 3 * 1_000_000);
        assertThat(second.totals().cpuNanos()).isGreaterThanOrEqualTo(3 * 4_000_000);
        assertThat(second.totals().waitOutNanos()).isGreaterThanOrEqualTo(3 * 1_000_000);
        assertThat(third.totals().ownNanos()).isBetween(3 * 1_000_000L, elapsed);
        assertThat(third.totals().bytes()).isEqualTo(3 * 30);
        for (StageMetrics stage : List.of(metrics, second, third)) {
            StageMetrics.Totals totals = stage.totals();
            assertThat(totals.records()).isEqualTo(3);
            assertThat(totals.waitInNanos()).isNotNegative();
            assertThat(totals.ownNanos() + totals.waitOutNanos() + totals.waitInNanos())
                    .isLessThanOrEqualTo(elapsed);
        }
    }

    @Test
    void cpuTimeOfHandingOnIsWorkAndTheRestIsWaiting() throws Exception {
        metrics.received();
        metrics.worked(10);
        long ownBefore = metrics.totals().ownNanos();
        metrics.handOn(0, () -> {
            work(3_000_000);
            LockSupport.parkNanos(20_000_000);
        });
        metrics.handedOn();

        StageMetrics.Totals totals = metrics.totals();
        assertThat(totals.ownNanos()).isGreaterThan(ownBefore);
        assertThat(totals.cpuNanos()).isPositive();
        assertThat(totals.waitOutNanos()).isPositive();
    }

    private static void spin(long nanos) {
        long began = System.nanoTime();
        while (System.nanoTime() - began < nanos) {
            Thread.onSpinWait();
        }
    }

    @Test
    void cpuTimeOfAnotherProcessIsThatOfTheStage() {
        metrics.received();
        metrics.workedElsewhere(5_000_000_000L);
        metrics.worked(1);
        metrics.handedOn();
        assertThat(metrics.totals().cpuNanos()).isBetween(5_000_000_000L, 10_000_000_000L);
    }

    @Test
    void cpuTimeIsScaledFromTheSampledCalls() {
        for (int i = 0; i < 64; i++) {
            metrics.received();
            work(50_000);
            metrics.worked(1);
            metrics.handedOn();
        }

        // Busy work uses the CPU. A loaded machine may withhold the CPU for most of the time, but never adds CPU time.
        assertThat(metrics.totals().cpuNanos())
                .isPositive()
                .isLessThanOrEqualTo(metrics.totals().ownNanos() * 2);
    }

    @Test
    void workMeasuredElsewhereIsAdded() {
        metrics.addWork(1000, 600, 5, 50);
        metrics.addWaitIn(70);
        metrics.failed();

        assertThat(metrics.totals()).isEqualTo(new StageMetrics.Totals(1000, 600, 70, 0, 5, 50, 1));
    }

    @Test
    void everyFigureOfADataStageIsRegistered() {
        metrics.addWork(1000, 600, 5, 50);
        metrics.caches(() -> null);
        assertThat(group.names()).as("a stage without a cache").doesNotContain("millrace.cacheHits");
        metrics.caches(() -> new CacheUse(4, 3));

        assertThat(group.names())
                .containsExactlyInAnyOrderElementsOf(Figures.of(Owner.DATA_STAGE).stream()
                        .map(figure -> "millrace." + figure.name())
                        .toList());
        assertThat(group.value("millrace.ownNanos")).isEqualTo(1000L);
        assertThat(group.value("millrace.records")).isEqualTo(5L);
        assertThat(group.value("millrace.cacheHits")).isEqualTo(0.75);
    }

    @Test
    void eachRecordsOwnTimeIsInTheHistogram() {
        metrics.received();
        metrics.worked(10);
        metrics.handedOn();
        metrics.received();
        metrics.worked(30);
        metrics.handedOn();
        metrics.addRecords(60_000_000_000L, 1);

        Histogram histogram = group.histogram("millrace.ownNanosPerRecord");
        assertThat(histogram.getCount()).isEqualTo(3);
        assertThat((double) histogram.getStatistics().getMax()).isCloseTo(60e9, withinPercentage(1));
        assertThat(histogram.getStatistics().getQuantile(0.5)).isLessThan(60e9);
    }

    @Test
    void samplesPerOwnSecondFollowFromOwnTimeAndAreUnknownBeforeTheFirstSample() {
        assertThat(group.value("millrace.recordsPerOwnSecond")).isEqualTo(Double.NaN);

        metrics.addWork(2_000_000, 0, 4, 0);

        assertThat(group.value("millrace.recordsPerOwnSecond")).isEqualTo(2000.0);
    }

    @Test
    void waitForACoreIsAddedWithTheWorkOfOtherThreads() {
        metrics.worksOnOtherThreads();
        metrics.addCoreWait(OptionalLong.of(30));
        metrics.addCoreWait(OptionalLong.of(12));
        assertThat(group.value("millrace.coreWaitNanos")).isEqualTo(42.0);

        metrics.addCoreWait(OptionalLong.empty());

        assertThat(group.value("millrace.coreWaitNanos"))
                .as("the sum is unknown when a part of it is unknown")
                .isEqualTo(Double.NaN);
    }

    /** Keeps the CPU busy, in proportion to {@code rounds}. */
    private static double work(int rounds) {
        double sum = 0;
        for (int i = 1; i < rounds; i++) {
            sum += Math.sqrt(i);
        }
        return sum;
    }
}
