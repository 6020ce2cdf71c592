package io.millrace.metrics;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** A metric group that keeps its gauges by name, those of subgroups with the group's name before. */
public final class RecordingMetricGroup extends UnregisteredMetricsGroup {
    private final String prefix;
    private final Map<String, Gauge<?>> gauges;

    public RecordingMetricGroup() {
        this("", new TreeMap<>());
    }

    private RecordingMetricGroup(String prefix, Map<String, Gauge<?>> gauges) {
        this.prefix = prefix;
        this.gauges = gauges;
    }

    /** The gauges by name, as millrace.ownNanos. */
    public Map<String, Gauge<?>> gauges() {
        return gauges;
    }

    /** What a gauge shows now. */
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
    public MetricGroup addGroup(String name) {
        return new RecordingMetricGroup(prefix + name + ".", gauges);
    }
}
