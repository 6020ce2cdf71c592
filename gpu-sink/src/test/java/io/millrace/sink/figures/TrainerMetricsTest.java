package io.millrace.sink.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.BlockSource;
import io.millrace.device.DeviceWatch;
import io.millrace.device.HostDevice;
import io.millrace.device.PinnedSlab;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.metrics.CoreWait;
import io.millrace.metrics.Figure;
import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.Figures;
import io.millrace.order.BatchPlan;
import io.millrace.order.Mixture;
import io.millrace.order.MixtureOrder;
import io.millrace.order.MixturePhase;
import io.millrace.order.Shuffle;
import io.millrace.order.SourceShares;
import io.millrace.order.Sources;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.metrics.testutils.MetricListener;
import org.junit.jupiter.api.Test;

class TrainerMetricsTest {
    private final Map<String, Metric> registered = new HashMap<>();
    private final TrainerMetrics metrics = new TrainerMetrics();

    /** A metric group that stores the metrics that are registered. */
    private final class Recording extends UnregisteredMetricsGroup {
        @Override
        public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
            registered.put(name, gauge);
            return gauge;
        }

        @Override
        public <H extends Histogram> H histogram(String name, H histogram) {
            registered.put(name, histogram);
            return histogram;
        }

        @Override
        public MetricGroup addGroup(String name) {
            return this;
        }
    }

    private Object gauge(String name) {
        return ((Gauge<?>) Objects.requireNonNull(registered.get(name), name)).getValue();
    }

    @Test
    void everyFigureOfTheTrainerAndItsDeviceIsRegistered() {
        try (HostDevice device = new HostDevice();
                DeviceWatch watch = DeviceWatch.of(device);
                PinnedSlab slab = new PinnedSlab(device, 8192, Need.PREFERRED)) {
            metrics.register(new Recording(), SourceShares.NONE);
            TrainerMetrics.register(new Recording(), device.use(), watch);
            TrainerMetrics.register(new Recording(), slab);
        }

        assertThat(registered.keySet())
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                Stream.concat(Figures.of(Owner.TRAINER).stream(), Figures.of(Owner.DEVICE).stream())
                                        .map(Figure::name),
                                Stream.of(EpochRecord.METRIC))
                        .toList());
    }

    @Test
    void datasetsOfAMixtureHaveTheirShares() {
        Sources sources =
                new Sources(List.of(new Sources.Source("web", 40, 0, 40), new Sources.Source("code", 4, 40, 4)));
        Mixture mixture = new Mixture(List.of(new MixturePhase(MixturePhase.OPEN, new long[] {3, 1}, 0)), 1, 0);
        MixtureOrder order = new MixtureOrder(
                0,
                80,
                mixture,
                List.of(new MixtureOrder.Source(40, Shuffle.FULL), new MixtureOrder.Source(4, Shuffle.FULL)));
        MetricListener listener = new MetricListener();
        metrics.register(listener.getMetricGroup(), new SourceShares(order, sources, 8));
        assertThat(share(listener, "code", "share")).isEqualTo(Double.NaN);

        metrics.begun = true;
        metrics.work = new TrainerMetrics.Work(
                TrainerCounters.NONE.plusStep(8, 0, 0).plusStep(8, 0, 0).plusStep(8, 0, 0), 0, 0, 0);

        assertThat(share(listener, "code", "samples")).isEqualTo(6.0);
        assertThat(share(listener, "code", "share")).isEqualTo(0.25);
        assertThat(share(listener, "code", "epoch")).isEqualTo(1.5);
        assertThat(share(listener, "web", "samples")).isEqualTo(18.0);
    }

    private static Object share(MetricListener listener, String source, String name) {
        return listener.getGauge(Figure.GROUP, "source", source, "source_" + name)
                .orElseThrow()
                .getValue();
    }

    @Test
    void nothingIsKnownBeforeTheTrainerBegins() {
        metrics.register(new Recording(), SourceShares.NONE);

        assertThat(gauge(Figures.STEPS.name())).isEqualTo(Double.NaN);
        assertThat(gauge(Figures.SAMPLES.name())).isEqualTo(Double.NaN);
        assertThat(gauge(Figures.EPOCH.name())).isEqualTo(Double.NaN);
        assertThat(gauge(Figures.CORE_WAIT_NANOS.name())).isEqualTo(Double.NaN);
        assertThat(gauge(Figures.RECORDS_PER_OWN_SECOND.name())).isEqualTo(Double.NaN);
        assertThat(registered.get(Figures.STEP_TIME_NANOS.name())).isSameAs(metrics.stepTimeNanos);
        assertThat(registered.get(Figures.WAIT_TIME_NANOS.name())).isSameAs(metrics.waitTimeNanos);
    }

    @Test
    void countsOfARunThatBeginsAreZero() {
        metrics.register(new Recording(), SourceShares.NONE);
        TrainerTally.ofClient(metrics, new BatchPlan(8, 4, false, 1, 0, 1), Optional.empty());

        assertThat(gauge(Figures.STEPS.name())).isEqualTo(0.0);
        assertThat(gauge(Figures.CLOCK_NANOS.name())).isEqualTo(Double.NaN);
    }

    @Test
    void pageLockedMemoryIsShownWithTheBuffersThatFoundNone() {
        try (PinnedSlab slab = new PinnedSlab(new HostDevice(), 8192, Need.PREFERRED)) {
            TrainerMetrics.register(new Recording(), slab);
            long taken = slab.take(5000);
            assertThat(slab.take(5000)).isEqualTo(BlockSource.NONE);

            assertThat(gauge(Figures.PINNED_BYTES.name())).isEqualTo(8192L);
            assertThat(gauge(Figures.PAGEABLE_BUFFERS.name())).isEqualTo(1L);
            slab.giveBack(taken, 5000);
            assertThat(gauge(Figures.PINNED_BYTES.name())).isEqualTo(0L);
        }
    }

    @Test
    void unknownValueOfADeviceIsNotANumber() {
        try (HostDevice device = new HostDevice();
                DeviceWatch watch = DeviceWatch.of(device)) {
            TrainerMetrics.register(new Recording(), device.use(), watch);
            assertThat(gauge(Figures.TRANSFER_GIGABYTES_PER_SECOND.name())).isEqualTo(Double.NaN);
            assertThat(gauge(Figures.COPY_OVERLAP.name())).isEqualTo(Double.NaN);
            assertThat(gauge(Figures.DEVICE_MEMORY_BYTES.name())).isEqualTo(Double.NaN);
            assertThat(gauge(Figures.GPU_UTILIZATION.name())).isEqualTo(Double.NaN);
            assertThat(gauge(Figures.GPU_WATTS.name())).isEqualTo(Double.NaN);
        }
    }

    @Test
    void trueRateFollowsFromTheTimeInSteps() {
        metrics.register(new Recording(), SourceShares.NONE);
        metrics.work = new TrainerMetrics.Work(
                TrainerCounters.NONE.plusStep(300, 0, 0).with(TrainerCounters.Times.NONE.plusStep(0, 200_000_000)),
                0,
                0,
                Double.NaN);

        assertThat(gauge(Figures.RECORDS_PER_OWN_SECOND.name())).isEqualTo(1500.0);
    }

    @Test
    void waitForACoreIsThatOfTheTrainersThread() {
        metrics.register(new Recording(), SourceShares.NONE);
        CoreWait thread = CoreWait.ofThisThread();
        metrics.coreWait = thread;

        double least = thread.nanos().isPresent() ? thread.nanos().getAsLong() : Double.NaN;
        double shown = (double) gauge(Figures.CORE_WAIT_NANOS.name());
        assertThat(Double.isNaN(shown)).isEqualTo(Double.isNaN(least));
        assertThat(Double.isNaN(least) || shown >= least).isTrue();
    }
}
