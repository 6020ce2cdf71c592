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
import org.jspecify.annotations.Nullable;

/** A reporter that keeps the last value of each of Millrace's gauges and histograms in {@link FinalMetrics}. */
final class FinalMetricsReporter implements MetricReporter {
    /** The text that Flink puts before the name of a source. */
    private static final String SOURCE = "Source: ";

    /** A figure of a task, as its metric group names it. One metric may belong to several tasks. */
    private record Source(String job, String operator, int subtask, String metric) {
        /** Returns the figure that a metric is; null when it is none of Millrace's. */
        static @Nullable Source of(Metric metric, String name, MetricGroup group) {
            Map<String, String> variables = group.getAllVariables();
            String job = variables.get("<job_id>");
            String operator = variables.get("<operator_name>");
            String subtask = variables.get("<subtask_index>");
            if (!(metric instanceof Gauge<?> || metric instanceof NanosHistogram)
                    || job == null
                    || operator == null
                    || subtask == null
                    || !group.getMetricIdentifier(name).contains("." + Figure.GROUP + ".")) {
                return null;
            }
            String stage = operator.startsWith(SOURCE) ? operator.substring(SOURCE.length()) : operator;
            return new Source(job, stage, Integer.parseInt(subtask), name);
        }
    }

    /** The number of metrics that the tasks of each job have in this Flink. */
    private final Map<String, Integer> held = new ConcurrentHashMap<>();

    @Override
    public void open(MetricConfig config) {}

    /** Forgets the metrics that are left: this Flink ends without their tasks. */
    @Override
    public void close() {
        held.forEach((job, count) -> FinalMetrics.held(job, -count));
        held.clear();
    }

    @Override
    public void notifyOfAddedMetric(Metric metric, String metricName, MetricGroup group) {
        FinalMetrics.added(1);
        Source source = Source.of(metric, metricName, group);
        if (source != null) {
            hold(source.job, 1);
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String metricName, MetricGroup group) {
        FinalMetrics.added(-1);
        Source source = Source.of(metric, metricName, group);
        if (source == null) {
            return;
        }
        try {
            keep(metric, source);
        } finally {
            hold(source.job, -1);
        }
    }

    private void hold(String job, int change) {
        held.merge(job, change, (before, more) -> before + more == 0 ? null : before + more);
        FinalMetrics.held(job, change);
    }

    private static void keep(Metric metric, Source source) {
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
