package io.millrace.report.html;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Makes the page of a diagnosis. Pure, but for what it reads of its own program. */
final class DiagnosisPage {
    private DiagnosisPage() {}

    /** The report, whole. */
    static String render(DiagnosisData story) {
        return Page.of(story.name(), "diagnosed", story.endedAt(), body(story), DiagnosisCharts.of(story));
    }

    private static String body(DiagnosisData story) {
        return VerdictSection.of(story)
                + ladder(story)
                + stages(story)
                + advice(story)
                + Page.configuration(ConfigurationText.of(story.configuration()))
                + Page.facts("machine", "Machine and versions", story.machine());
    }

    private static String ladder(DiagnosisData story) {
        List<List<String>> rows = new ArrayList<>();
        int most = -1;
        for (LadderRung rung : story.ladder()) {
            if (rung.stage() != null && rung.stage().equals(story.most())) {
                most = rows.size();
            }
            rows.add(List.of(
                    rung.cache(),
                    Figures.number(rung.imagesPerSecond()),
                    Figures.percent(rung.spread()),
                    Figures.percent(rung.busy()),
                    rung.stage() == null ? Figures.UNKNOWN : rung.stage(),
                    Figures.percent(rung.timeShare()),
                    Figures.number(rung.modelled())));
        }
        return Html.section(
                "ladder",
                "How fast with samples cached",
                Html.chart("ladder", "Images per second with samples cached at each place"),
                Html.note(story.sentence() + "."),
                Html.note(String.format(
                        Locale.ROOT,
                        "Each rung does what the one above does, and one stage more. %,d samples were cached. The stages' own"
                                + " times were measured with nothing cached.",
                        story.samples())),
                Html.table(
                        List.of(
                                "cached",
                                "images/s",
                                "spread",
                                "CPU",
                                "stage that comes in",
                                "of a sample's time",
                                "explained, images/s"),
                        rows,
                        most));
    }

    private static String stages(DiagnosisData story) {
        return Html.section(
                "stages",
                "What each stage takes of a sample's way",
                story.stages().isEmpty()
                        ? Html.note("Not measured.")
                        : Html.chart("costs", "Milliseconds for each sample and stage, by what they were spent on"),
                Html.table(
                        List.of("stage", "slots", "own ms per sample", "CPU ms per sample"),
                        story.stages().stream()
                                .map(stage -> List.of(
                                        stage.name(),
                                        Figures.count(stage.slots()),
                                        Figures.number(stage.ownMillis()),
                                        Figures.number(stage.cpuMillis())))
                                .toList(),
                        -1));
    }

    private static String advice(DiagnosisData story) {
        String heading = "What would help, each by itself";
        if (story.advice().isEmpty()) {
            return Html.section("advice", heading, Html.note("Nothing to advise."));
        }
        return Html.section(
                "advice",
                heading,
                Html.table(
                        List.of("predicted, images/s", "because", "change"),
                        story.advice().stream()
                                .map(advice -> List.of(
                                        advice.imagesPerSecond() == null
                                                ? "worth a try"
                                                : Figures.number(advice.imagesPerSecond()),
                                        advice.reason(),
                                        advice.change()))
                                .toList(),
                        -1));
    }
}
