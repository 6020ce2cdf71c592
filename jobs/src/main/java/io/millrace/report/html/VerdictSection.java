package io.millrace.report.html;

import io.millrace.report.RunSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The top of a report: what limits the speed, and how it went. */
final class VerdictSection {
    private VerdictSection() {}

    /** Of a run. */
    static String of(RunSummary summary) {
        RunSummary.Verdict verdict = summary.verdict();
        StringBuilder html = begin(verdict == null ? unknown(summary) : verdict.line());
        if (summary.message() != null) {
            html.append("<p class=\"failure\">")
                    .append(Html.text(summary.message()))
                    .append("</p>");
        }
        if (verdict != null) {
            tell(html, verdict);
        }
        html.append("<div class=\"tiles\">");
        outcome(html, summary);
        return html.append("</div></section>\n").toString();
    }

    /** Of a diagnosis. */
    static String of(DiagnosisData story) {
        StringBuilder html = begin(story.verdict().line());
        tell(html, story.verdict());
        DiagnosisData.Outcome outcome = story.outcome();
        if (outcome != null) {
            html.append("<div class=\"tiles\">");
            tile(html, "before, images/s", Figures.number(outcome.before()), "the pipeline as it is");
            tile(html, "predicted, images/s", Figures.number(outcome.predicted()), "with all that is advised");
            tile(html, "achieved, images/s", Figures.number(outcome.achieved()), outcome.file());
            html.append("</div>");
        }
        return html.append("</section>\n").toString();
    }

    private static String unknown(RunSummary summary) {
        return summary.counts().samples() == 0
                ? "limit unknown: nothing was trained on"
                : "limit unknown: what the stages took was not seen from where this was written";
    }

    private static StringBuilder begin(String line) {
        return new StringBuilder("<section id=\"verdict\">")
                .append("<p class=\"line\">")
                .append(Html.text(line))
                .append("</p>");
    }

    private static void tell(StringBuilder html, RunSummary.Verdict verdict) {
        verdict.contradictions().forEach(told -> html.append(Html.note("contradiction: " + told)));
        html.append("<div class=\"tiles\">");
        tile(html, "limited by", verdict.limit() == null ? Figures.UNKNOWN : verdict.limit(), verdict.kind());
        tile(html, "images/s, measured", Figures.number(verdict.imagesPerSecond()), "since the warm-up");
        tile(
                html,
                "images/s once that is fixed",
                Figures.number(verdict.fixedImagesPerSecond()),
                verdict.next() == null ? null : "then limited by " + verdict.next());
        tile(html, "images/s, ceiling", Figures.number(verdict.ceilingImagesPerSecond()), "training alone");
        tile(html, "confidence", verdict.confidence(), verdict.reason());
        html.append("</div>");
    }

    private static void outcome(StringBuilder html, RunSummary summary) {
        RunSummary.Counts counts = summary.counts();
        RunSummary.Speed speed = summary.speed();
        tile(html, "starved", Figures.percent(speed.starvation()), "of the trainer's time");
        tile(html, "images/s, steady", Figures.number(speed.steadyImagesPerSecond()), "without start and warm-up");
        tile(
                html,
                "samples",
                Figures.count(counts.samples()),
                Figures.count(counts.steps()) + " steps, " + Figures.count(counts.epochs()) + " epochs");
        List<String> times = new ArrayList<>();
        if (speed.firstStepSeconds() != null) {
            times.add(String.format(Locale.ROOT, "first step after %.1f s", speed.firstStepSeconds()));
        }
        if (counts.restarts() != null && counts.restarts() > 0) {
            times.add(counts.restarts() + " restarts");
        }
        tile(html, "whole run", Figures.with("s", Figures.number(speed.wallSeconds())), String.join(", ", times));
        tile(html, "loss", Figures.number(summary.result().finalLoss()), null);
        tile(html, "accuracy", Figures.percent(summary.result().finalAccuracy()), null);
    }

    private static void tile(StringBuilder html, String label, String value, @Nullable String more) {
        html.append("<div class=\"tile\"><div class=\"label\">")
                .append(Html.text(label))
                .append("</div><div class=\"value\">")
                .append(Html.text(value))
                .append("</div>");
        if (more != null && !more.isEmpty()) {
            html.append("<div class=\"more\">").append(Html.text(more)).append("</div>");
        }
        html.append("</div>");
    }
}
