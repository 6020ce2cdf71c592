package io.millrace.report.html;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The frame of every page: its head, style and scripts. Pure, except that it reads resources of the program. */
final class Page {
    private static final Pattern PLACE = Pattern.compile("\\{\\{([a-z]+)}}");

    private Page() {}

    /**
     * Returns a whole page.
     *
     * @param name the name of the pipeline
     * @param status the word for the way in which the run ended
     * @param endedAt the wall-clock time at the end, for readers
     * @param body the HTML between header and footer
     * @param charts the data of the charts, by the names of their places in the body
     */
    static String of(String name, String status, String endedAt, String body, ObjectNode charts) {
        Map<String, String> parts = Map.of(
                "title", Html.text(name + ", " + status),
                "name", Html.text(name),
                "status", Html.text(status),
                "ended", Html.text(endedAt),
                "style", PageFragments.style(),
                "body", body,
                "data", Html.script(charts.toString()),
                "echarts", PageFragments.charting(),
                "script", PageFragments.script());
        return PLACE.matcher(PageFragments.frame())
                .replaceAll(place -> Matcher.quoteReplacement(
                        Optional.ofNullable(parts.get(place.group(1))).orElseThrow()));
    }

    /** Returns a section with one line for each fact. */
    static String facts(String id, String heading, Map<String, String> facts) {
        return Html.section(
                id,
                heading,
                Html.table(
                        List.of("", ""),
                        facts.entrySet().stream()
                                .map(fact -> List.of(fact.getKey(), fact.getValue()))
                                .toList(),
                        -1));
    }

    /** Returns the section with a pipeline's configuration. */
    static String configuration(String yaml) {
        return Html.section("configuration", "Configuration", "<pre>" + Html.text(yaml) + "</pre>");
    }
}
