package io.millrace.report;

import java.util.Properties;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** The factory of {@link FinalMetricsReporter}, which Flink finds as a service. */
public final class FinalMetricsReporterFactory implements MetricReporterFactory {
    private static final String NAME = "millrace";

    /** The key for the names of the reporters. When it is set, Flink uses only the named reporters. */
    private static final String NAMED = "metrics.reporters";

    /** Adds the reporter to the configuration of a cluster in this process, and keeps the user's reporters. */
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
