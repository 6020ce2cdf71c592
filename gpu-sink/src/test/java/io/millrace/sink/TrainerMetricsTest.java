package io.millrace.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.BlockSource;
import io.millrace.device.DeviceWatch;
import io.millrace.device.HostDevice;
import io.millrace.device.PinnedSlab;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.metrics.CoreWait;
import io.millrace.metrics.MetricNames;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class TrainerMetricsTest {
    private final Map<String, Metric> registered = new HashMap<>();
    private final TrainerMetrics metrics = new TrainerMetrics();

    /** Keeps what is registered. */
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
    void nothingIsKnownBeforeTheTrainerBegins() {
        metrics.register(new Recording());

        assertThat(gauge(MetricNames.CORE_WAIT_NANOS)).isEqualTo(Double.NaN);
        assertThat(gauge(MetricNames.RECORDS_PER_OWN_SECOND)).isEqualTo(Double.NaN);
        assertThat(registered.get(MetricNames.STEP_TIME_NANOS)).isSameAs(metrics.stepTimeNanos);
        assertThat(registered.get(MetricNames.WAIT_TIME_NANOS)).isSameAs(metrics.waitTimeNanos);
    }

    @Test
    void pageLockedMemoryIsShownWithWhatFoundNoneOfIt() {
        try (PinnedSlab slab = new PinnedSlab(new HostDevice(), 8192, Need.PREFERRED)) {
            TrainerMetrics.register(new Recording(), slab);
            long taken = slab.take(5000);
            assertThat(slab.take(5000)).isEqualTo(BlockSource.NONE);

            assertThat(gauge(MetricNames.PINNED_BYTES)).isEqualTo(8192L);
            assertThat(gauge(MetricNames.PAGEABLE_BUFFERS)).isEqualTo(1L);
            slab.giveBack(taken, 5000);
            assertThat(gauge(MetricNames.PINNED_BYTES)).isEqualTo(0L);
        }
    }

    @Test
    void whatIsNotKnownOfADeviceIsNoNumber() {
        try (HostDevice device = new HostDevice();
                DeviceWatch watch = DeviceWatch.of(device)) {
            TrainerMetrics.register(new Recording(), device.use(), watch);
            assertThat(gauge(MetricNames.TRANSFER_GIGABYTES_PER_SECOND)).isEqualTo(Double.NaN);
            assertThat(gauge(MetricNames.COPY_OVERLAP)).isEqualTo(Double.NaN);
            assertThat(gauge(MetricNames.COPY_WAIT_NANOS)).isEqualTo(0L);
            assertThat(gauge(MetricNames.DEVICE_MEMORY_BYTES)).isEqualTo(Double.NaN);
            assertThat(gauge(MetricNames.GPU_UTILIZATION)).isEqualTo(Double.NaN);
            assertThat(gauge(MetricNames.GPU_WATTS)).isEqualTo(Double.NaN);
        }
    }

    @Test
    void trueRateIsOfTheTimeInSteps() {
        metrics.register(new Recording());
        metrics.samples = 300;
        metrics.stepNanos = 200_000_000;

        assertThat(gauge(MetricNames.RECORDS_PER_OWN_SECOND)).isEqualTo(1500.0);
    }

    @Test
    void waitForACoreIsTheTrainersThreads() {
        metrics.register(new Recording());
        CoreWait thread = CoreWait.ofThisThread();
        metrics.coreWait = thread;

        double least = thread.nanos().isPresent() ? thread.nanos().getAsLong() : Double.NaN;
        double shown = (double) gauge(MetricNames.CORE_WAIT_NANOS);
        assertThat(Double.isNaN(shown)).isEqualTo(Double.isNaN(least));
        assertThat(Double.isNaN(least) || shown >= least).isTrue();
    }
}
