package io.millrace.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Prometheus queries of a Grafana dashboard's panels. */
public final class Dashboard {
    private static final Pattern METRIC = Pattern.compile("\\bflink_\\w+");
    private static final Pattern MATCHED = Pattern.compile("(\\w+)(?:=~|!=|=)\"");
    private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");
    private static final Pattern SHOWN = Pattern.compile("\\{\\{(\\w+)\\}\\}");

    /** The label that {@code label_replace} makes from the operator's name. */
    private static final String MADE = "stage";

    /**
     * A query of a panel.
     *
     * @param metrics the names of its metrics
     * @param labels the labels that the query selects, groups or shows
     */
    public record Query(String panel, Set<String> metrics, Set<String> labels) {}

    private Dashboard() {}

    public static List<Query> queries(Path file) throws IOException {
        List<Query> queries = new ArrayList<>();
        for (JsonNode panel : new ObjectMapper().readTree(file.toFile()).path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                String expression = target.path("expr").asText();
                Set<String> labels = Stream.of(
                                found(MATCHED, expression),
                                found(GROUPED, expression).flatMap(names -> Arrays.stream(names.split(", "))),
                                found(SHOWN, target.path("legendFormat").asText()))
                        .flatMap(names -> names)
                        .filter(label -> !label.equals(MADE))
                        .collect(Collectors.toCollection(TreeSet::new));
                Set<String> metrics = METRIC.matcher(expression)
                        .results()
                        .map(MatchResult::group)
                        .collect(Collectors.toCollection(TreeSet::new));
                queries.add(new Query(panel.path("title").asText(), metrics, labels));
            }
        }
        return queries;
    }

    private static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(result -> result.group(1));
    }
}
