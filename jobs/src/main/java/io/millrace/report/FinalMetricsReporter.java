package io.millrace.report;

import io.millrace.metrics.CodeProfile;
import io.millrace.metrics.Figure;
import io.millrace.metrics.NanosHistogram;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;

/** A reporter that keeps the last value of each of Millrace's gauges and histograms in {@link FinalMetrics}. */
final class FinalMetricsReporter implements MetricReporter {
    /** The text that Flink puts before the name of a source. */
    private static final String SOURCE = "Source: ";

    private record Source(String operator, int subtask, String metric) {}

    private final Map<Metric, Source> ours = new ConcurrentHashMap<>();

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {}

    @Override
    public void notifyOfAddedMetric(Metric metric, String metricName, MetricGroup group) {
        FinalMetrics.added(1);
        String operator = group.getAllVariables().get("<operator_name>");
        String subtask = group.getAllVariables().get("<subtask_index>");
        if ((metric instanceof Gauge<?> || metric instanceof NanosHistogram)
                && operator != null
                && subtask != null
                && group.getMetricIdentifier(metricName).contains("." + Figure.GROUP + ".")) {
            String stage = operator.startsWith(SOURCE) ? operator.substring(SOURCE.length()) : operator;
            ours.put(metric, new Source(stage, Integer.parseInt(subtask), metricName));
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String metricName, MetricGroup group) {
        FinalMetrics.added(-1);
        Source source = ours.remove(metric);
        if (source == null) {
            return;
        }
        if (metric instanceof NanosHistogram histogram) {
            FinalMetrics.put(source.operator, source.subtask, source.metric, histogram.copy());
            return;
        }
        Object last = ((Gauge<?>) metric).getValue();
        if (last instanceof Number value) {
            FinalMetrics.put(source.operator, source.subtask, source.metric, value);
        } else if (last instanceof String text && source.metric.equals(CodeProfile.METRIC)) {
            CodeProfile.parse(text).ifPresent(code -> FinalMetrics.put(source.operator, source.subtask, code));
        }
    }
}
