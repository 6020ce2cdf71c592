package io.millrace.cli;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Gauges of the Flink in this process, as they are now, by name alone: for names that one task or job has. */
final class FlinkGauges implements MetricReporter {
    /** The setting that makes Flink use it, as a line of a pipeline file. */
    static final String SETTING = "metrics.reporter.gauges.factory.class: " + Factory.class.getName();

    private static final Map<String, Gauge<?>> GAUGES = new ConcurrentHashMap<>();

    /** The value; 0 before there is such a gauge, and the last one when its task or job has ended. */
    static long value(String name) {
        Gauge<?> gauge = GAUGES.get(name);
        return gauge == null ? 0 : ((Number) gauge.getValue()).longValue();
    }

    /** Forgets those of earlier runs. */
    static void forget() {
        GAUGES.clear();
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {}

    @Override
    public void notifyOfAddedMetric(Metric metric, String metricName, MetricGroup group) {
        if (metric instanceof Gauge<?> gauge) {
            GAUGES.put(metricName, gauge);
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String metricName, MetricGroup group) {
        if (metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number last) {
            GAUGES.put(metricName, () -> last);
        }
    }

    /** Found by Flink as a service. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return new FlinkGauges();
        }
    }
}
