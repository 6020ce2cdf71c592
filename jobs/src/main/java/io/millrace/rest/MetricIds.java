package io.millrace.rest;

import io.millrace.metrics.CodeProfile;
import io.millrace.metrics.Figure;
import io.millrace.metrics.Figures;
import io.millrace.metrics.Statistic;
import io.millrace.sink.figures.EpochRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The ids of the metrics of stages in Flink's REST interface: {@code <operator>.millrace.<metric>}. */
final class MetricIds {
    private static final String GROUP = "." + Figure.GROUP + ".";

    /** The number of characters to which Flink shortens operator names in metrics. */
    private static final int LONGEST_OPERATOR = 80;

    /** Flink's own metrics of a whole task. */
    static final String BUSY = "busyTimeMsPerSecond";

    static final String IDLE = "idleTimeMsPerSecond";
    static final String BACK_PRESSURED = "backPressuredTimeMsPerSecond";
    private static final Set<String> TASK_RATES = Set.of(BUSY, IDLE, BACK_PRESSURED);

    /** The ids of all statistics that are read, without operator and group. */
    private static final Set<String> READ = Figures.all().stream()
            .flatMap(figure -> figure.statistics().stream())
            .map(Statistic::metricId)
            .collect(Collectors.toUnmodifiableSet());

    /**
     * The maximum length of a query. Netty in Flink's REST server rejects request lines over 4096 bytes, and the path
     * before the ids has about 130 bytes.
     */
    private static final int LONGEST_QUERY = 3500;

    private static final String TRAIN = "train";
    private static final String DELIVER = "deliver";

    private MetricIds() {}

    /** Returns whether the metric belongs to Millrace. */
    static boolean isOurs(String id) {
        return id.contains(GROUP);
    }

    /** Returns whether the metric is read. */
    static boolean isRead(String id) {
        return TASK_RATES.contains(id) || (isOurs(id) && READ.contains(metric(id)));
    }

    /** Returns whether the metric is the profile of the user's code, which is a text. */
    static boolean isCode(String id) {
        return isOurs(id) && CodeProfile.METRIC.equals(metric(id));
    }

    /** Returns whether the metric is the text of the epochs that a trainer has ended. */
    static boolean isEpochs(String id) {
        return isOurs(id) && EpochRecord.METRIC.equals(metric(id));
    }

    /** Returns the metric's name without operator and group. */
    static String metric(String id) {
        return id.substring(id.lastIndexOf('.') + 1);
    }

    /**
     * Returns whether the metric belongs to the stage. Flink itself puts "Source: " before the name of a source. The
     * operator that delivers to clients reports the training of their loops.
     */
    static boolean isOf(String stage, String id) {
        int group = id.lastIndexOf(GROUP);
        return group >= 0
                && (id.substring(0, group).equals(operator(stage))
                        || id.substring(0, group).equals(operator("Source: " + stage))
                        || (stage.equals(TRAIN) && id.substring(0, group).equals(DELIVER)));
    }

    /**
     * Returns an operator's name in the form that ids contain: shortened, and without the characters that separate the
     * parts of ids.
     */
    static String operator(String name) {
        String cut = name.length() > LONGEST_OPERATOR ? name.substring(0, LONGEST_OPERATOR) : name;
        return cut.replaceAll("[ .:,]", "_");
    }

    /** Divides encoded ids into comma-separated queries that are short enough for the server. */
    static List<String> queries(List<String> encodedIds) {
        List<String> queries = new ArrayList<>();
        StringBuilder query = new StringBuilder();
        for (String id : encodedIds) {
            if (query.length() > 0 && query.length() + 1 + id.length() > LONGEST_QUERY) {
                queries.add(query.toString());
                query.setLength(0);
            }
            query.append(query.length() == 0 ? "" : ",").append(id);
        }
        if (query.length() > 0) {
            queries.add(query.toString());
        }
        return queries;
    }
}
