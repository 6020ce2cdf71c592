package io.millrace.report.html;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The page of a diagnosis. Pure, except that it reads resources of the program. */
final class DiagnosisPage {
    private DiagnosisPage() {}

    /** Returns the whole page. */
    static String render(DiagnosisData data) {
        return Page.of(data.name(), "diagnosed", data.endedAt(), body(data), DiagnosisCharts.of(data));
    }

    private static String body(DiagnosisData data) {
        return VerdictSection.of(data)
                + ladder(data)
                + stages(data)
                + advice(data)
                + applied(data)
                + Page.configuration(ConfigurationText.of(data.configuration()))
                + Page.facts("machine", "Machine and versions", data.machine());
    }

    private static String ladder(DiagnosisData data) {
        List<List<String>> rows = new ArrayList<>();
        int most = -1;
        for (LadderRung rung : data.ladder()) {
            if (rung.stage() != null && rung.stage().equals(data.most())) {
                most = rows.size();
            }
            rows.add(List.of(
                    rung.cache(),
                    NumberText.number(rung.imagesPerSecond()),
                    NumberText.percent(rung.spread()),
                    NumberText.percent(rung.busy()),
                    rung.stage() == null ? NumberText.UNKNOWN : rung.stage(),
                    NumberText.percent(rung.timeShare()),
                    NumberText.number(rung.modelled())));
        }
        return Html.section(
                "ladder",
                "Throughput with samples cached",
                Html.chart("ladder", "Throughput with samples cached at each place"),
                Html.note(data.sentence() + "."),
                Html.note(String.format(
                        Locale.ROOT,
                        "Each rung does the work of the rung above and of one more stage. %,d samples were cached. The stages'"
                                + " own times were measured with nothing cached.",
                        data.samples())),
                Html.table(
                        List.of(
                                "cached",
                                data.unit().perSecond(),
                                "spread",
                                "CPU",
                                "added stage",
                                "share of a sample's time",
                                "model, " + data.unit().perSecond()),
                        rows,
                        most));
    }

    private static String stages(DiagnosisData data) {
        return Html.section(
                "stages",
                "Time of each stage for a sample",
                data.stages().isEmpty()
                        ? Html.note("Not measured.")
                        : Html.chart("costs", "Milliseconds for each sample and stage, by activity"),
                Html.table(
                        List.of("stage", "slots", "own ms per sample", "CPU ms per sample"),
                        data.stages().stream()
                                .map(stage -> List.of(
                                        stage.name(),
                                        NumberText.count(stage.slots()),
                                        NumberText.number(stage.ownMillis()),
                                        NumberText.number(stage.cpuMillis())))
                                .toList(),
                        -1));
    }

    private static String applied(DiagnosisData data) {
        return data.applied().isEmpty()
                ? ""
                : Html.section(
                        "applied",
                        "Changes in the improved file, made together",
                        Html.table(
                                List.of("reason", "change"),
                                data.applied().stream()
                                        .map(change -> List.of(change.reason(), change.change()))
                                        .toList(),
                                -1));
    }

    private static String advice(DiagnosisData data) {
        String heading = "Suggested changes, each by itself";
        if (data.advice().isEmpty()) {
            return Html.section("advice", heading, Html.note("There is no suggestion."));
        }
        return Html.section(
                "advice",
                heading,
                Html.table(
                        List.of("predicted, " + data.unit().perSecond(), "reason", "change"),
                        data.advice().stream()
                                .map(advice -> List.of(
                                        advice.imagesPerSecond() == null ? "worth a try" : advice.imagesPerSecond(),
                                        advice.reason(),
                                        advice.change()))
                                .toList(),
                        -1));
    }
}
