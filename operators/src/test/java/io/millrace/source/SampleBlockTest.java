package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.ForwardingDataset;
import io.millrace.metrics.CodeProfile;
import io.millrace.metrics.Figure;
import io.millrace.metrics.Figures;
import io.millrace.metrics.StageMetrics;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Mixture;
import io.millrace.order.MixtureOrder;
import io.millrace.order.MixturePhase;
import io.millrace.order.SampleRandom;
import io.millrace.order.Shuffle;
import io.millrace.order.Sources;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.testutils.MetricListener;
import org.junit.jupiter.api.Test;

class SampleBlockTest {
    private static final long MESSAGE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
    private static final int SAMPLES = 16;

    /** The number of samples that come in one message, which takes time. */
    private static final int TOGETHER = 4;

    private final MetricListener listener = new MetricListener();
    private final StageMetrics metrics = new StageMetrics(listener.getMetricGroup());

    /** A reading that gets several samples in each message, for which it waits and then works. */
    private static final class Messages implements Dataset.Reading {
        private final Dataset dataset = FakeDataset.inFiles(SAMPLES);
        private final long waitNanos;
        private final long workNanos;
        private final long coreWaitNanos;
        private int read;
        private long queuedNanos;

        Messages(long waitNanos, long workNanos, long coreWaitNanos) {
            this.waitNanos = waitNanos;
            this.workNanos = workNanos;
            this.coreWaitNanos = coreWaitNanos;
        }

        @Override
        public Sample read(int i) throws IOException {
            if (read++ % TOGETHER == 0) {
                long began = System.nanoTime();
                spend(waitNanos);
                queuedNanos += System.nanoTime() - began;
                spend(workNanos);
            }
            return dataset.read(i);
        }

        @Override
        public int obtained() {
            return (TOGETHER - read % TOGETHER) % TOGETHER;
        }

        @Override
        public long queuedNanos() {
            return queuedNanos;
        }

        @Override
        public long remoteCoreWaitNanos() {
            return coreWaitNanos;
        }
    }

    private void readAll(Messages messages) throws IOException {
        Dataset dataset = new ForwardingDataset(FakeDataset.inFiles(SAMPLES)) {
            @Override
            public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
                return messages;
            }
        };
        BatchPlan plan = new BatchPlan(SAMPLES, 4, false, 1, 0, 1);
        EpochOrder order = new EpochOrder(0, SAMPLES, Shuffle.NONE);
        PositionReader reader = new PositionReader(
                plan, order, Sources.single(plan.size()), List.of(new NamedDataset("fake", dataset)), null);
        SampleBlock.whole(reader, new Range(0, SAMPLES), false, () -> false).addTo(metrics);
    }

    @Test
    void theTimeOfReadingIsCountedForEachDatasetOfAMixture() throws IOException {
        long messageNanos = 20 * MESSAGE_NANOS; // more than the loading of classes, which the first samples include
        Dataset slow = new ForwardingDataset(FakeDataset.inFiles(SAMPLES)) {
            @Override
            public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
                return new Messages(0, messageNanos, 0);
            }
        };
        Sources sources = new Sources(List.of(
                new Sources.Source("fast", SAMPLES, 0, SAMPLES),
                new Sources.Source("slow", SAMPLES, SAMPLES, SAMPLES)));
        MixtureOrder.Source each = new MixtureOrder.Source(SAMPLES, Shuffle.NONE);
        MixtureOrder order = new MixtureOrder(
                0,
                2L * SAMPLES,
                new Mixture(List.of(new MixturePhase(MixturePhase.OPEN, new long[] {1, 1}, 0)), 1, 0),
                List.of(each, each));
        BatchPlan plan = new BatchPlan(2L * SAMPLES, 4, false, 1, 0, 1);
        PositionReader reader = new PositionReader(
                plan,
                order,
                sources,
                List.of(new NamedDataset("fast", FakeDataset.inFiles(SAMPLES)), new NamedDataset("slow", slow)),
                null);

        SampleBlock.whole(reader, new Range(0, 2L * SAMPLES), false, () -> false);

        CodeProfile times = Objects.requireNonNull(reader.code());
        assertThat(times.costliest().orElseThrow().file()).isEqualTo("slow");
        assertThat(times.costliest().orElseThrow().samples())
                .isGreaterThanOrEqualTo(TimeUnit.NANOSECONDS.toMillis(SAMPLES / TOGETHER * messageNanos));
    }

    private static void spend(long nanos) {
        long began = System.nanoTime();
        while (System.nanoTime() - began < nanos) {
            Thread.onSpinWait();
        }
    }

    private long ownNanos() {
        Gauge<Long> gauge =
                listener.<Long>getGauge(Figure.GROUP, Figures.OWN_NANOS.name()).orElseThrow();
        return gauge.getValue();
    }

    @Test
    void samplesOfOneMessageShareItsCost() throws IOException {
        readAll(new Messages(0, MESSAGE_NANOS, 0));

        Histogram each = listener.getHistogram(Figure.GROUP, Figures.OWN_NANOS_PER_RECORD.name())
                .orElseThrow();
        assertThat(each.getCount()).isEqualTo(SAMPLES);
        assertThat(each.getStatistics().getQuantile(0.01))
                .as("none seems to cost nothing, beside which the first of a message would be an exception")
                .isGreaterThan(0.9 * MESSAGE_NANOS / TOGETHER);
        assertThat(ownNanos()).isGreaterThanOrEqualTo(SAMPLES / TOGETHER * MESSAGE_NANOS);
    }

    @Test
    void waitForWhatOtherReadingsUseIsNoCost() throws IOException {
        Messages messages = new Messages(50 * MESSAGE_NANOS, 0, 0);
        readAll(messages);

        assertThat(messages.queuedNanos()).isGreaterThanOrEqualTo(SAMPLES / TOGETHER * 50 * MESSAGE_NANOS);
        assertThat(ownNanos()).isLessThan(messages.queuedNanos() / 2);
    }

    /** The clock of the stage runs on while a worker process waits for a core, which is no time of the stage. */
    @Test
    void waitOfOtherProcessesForACoreIsAdded() throws IOException {
        long wait = TimeUnit.HOURS.toNanos(1);
        readAll(new Messages(0, 0, wait));

        Gauge<Double> gauge = listener.<Double>getGauge(Figure.GROUP, Figures.CORE_WAIT_NANOS.name())
                .orElseThrow();
        assertThat(gauge.getValue()).isBetween((double) wait, 1.1 * wait);
    }
}
