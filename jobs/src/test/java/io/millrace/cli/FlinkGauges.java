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

/** The current gauges of the Flink in this process, by name. A name must belong to one task or job only. */
public final class FlinkGauges implements MetricReporter {
    /** The setting that registers this class with Flink, as a line of a pipeline file. */
    public static final String SETTING = "metrics.reporter.gauges.factory.class: " + Factory.class.getName();

    private static final Map<String, Gauge<?>> GAUGES = new ConcurrentHashMap<>();

    /** Returns the value of a gauge: 0 before it exists, and its last value after its task or job has ended. */
    public static long value(String name) {
        Gauge<?> gauge = GAUGES.get(name);
        return gauge == null ? 0 : ((Number) gauge.getValue()).longValue();
    }

    /** Removes the gauges of earlier runs. */
    public static void forget() {
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

    /** The factory that Flink loads as a service. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return new FlinkGauges();
        }
    }
}
