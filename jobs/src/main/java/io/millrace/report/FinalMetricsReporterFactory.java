package io.millrace.report;

import java.util.Properties;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Makes the {@link FinalMetricsReporter}; found by Flink as a service. */
public final class FinalMetricsReporterFactory implements MetricReporterFactory {
    /** Adds the reporter to the configuration of a cluster in this process. */
    public static void configure(Configuration configuration) {
        configuration.setString("metrics.reporters", "millrace");
        configuration.setString("metrics.reporter.millrace.factory.class", FinalMetricsReporterFactory.class.getName());
    }

    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return new FinalMetricsReporter();
    }
}
