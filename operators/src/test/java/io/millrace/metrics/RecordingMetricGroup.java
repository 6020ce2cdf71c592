package io.millrace.metrics;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** A metric group that keeps gauges and histograms by name; the name of a subgroup precedes the names in it. */
public final class RecordingMetricGroup extends UnregisteredMetricsGroup {
    private final String prefix;
    private final Map<String, Gauge<?>> gauges;
    private final Map<String, Histogram> histograms;

    public RecordingMetricGroup() {
        this("", new TreeMap<>(), new TreeMap<>());
    }

    private RecordingMetricGroup(String prefix, Map<String, Gauge<?>> gauges, Map<String, Histogram> histograms) {
        this.prefix = prefix;
        this.gauges = gauges;
        this.histograms = histograms;
    }

    /** Returns the names of all gauges and histograms, for example millrace.ownNanos. */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(gauges.keySet());
        names.addAll(histograms.keySet());
        return names;
    }

    /** Returns the current value of a gauge. */
    public Object value(String name) {
        Gauge<?> gauge = gauges.get(name);
        if (gauge == null) {
            throw new AssertionError("no gauge " + name + " in " + gauges.keySet());
        }
        return gauge.getValue();
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
        gauges.put(prefix + name, gauge);
        return gauge;
    }

    @Override
    public <H extends Histogram> H histogram(String name, H histogram) {
        histograms.put(prefix + name, histogram);
        return histogram;
    }

    /** Returns a histogram by name, for example millrace.ownNanosPerRecord. */
    public Histogram histogram(String name) {
        Histogram histogram = histograms.get(name);
        if (histogram == null) {
            throw new AssertionError("no histogram " + name + " in " + histograms.keySet());
        }
        return histogram;
    }

    @Override
    public MetricGroup addGroup(String name) {
        return new RecordingMetricGroup(prefix + name + ".", gauges, histograms);
    }
}
