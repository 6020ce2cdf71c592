package io.millrace.report;

import java.util.Properties;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Makes the {@link FinalMetricsReporter}; found by Flink as a service. */
public final class FinalMetricsReporterFactory implements MetricReporterFactory {
    private static final String NAME = "millrace";

    /** Where it names some reporters, Flink uses these alone. */
    private static final String NAMED = "metrics.reporters";

    /** Adds the reporter to the configuration of a cluster in this process, beside those that the user wants. */
    public static void configure(Configuration configuration) {
        String others = configuration.getString(NAMED, "");
        if (!others.isBlank()) {
            configuration.setString(NAMED, others + "," + NAME);
        }
        configuration.setString(
                "metrics.reporter." + NAME + ".factory.class", FinalMetricsReporterFactory.class.getName());
    }

    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return new FinalMetricsReporter();
    }
}
