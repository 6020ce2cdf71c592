package io.millrace.report.html;

import io.millrace.report.RunSummary;
import io.millrace.report.VerdictSummary;
import io.millrace.sample.Counted;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The top of a report: the limit of the throughput, and the outcome. */
final class VerdictSection {
    private VerdictSection() {}

    /** Returns the section of a run. */
    static String of(RunSummary summary) {
        VerdictSummary verdict = summary.verdict();
        StringBuilder html = begin(verdict == null ? unknown(summary) : verdict.line());
        if (summary.message() != null) {
            html.append("<p class=\"failure\">")
                    .append(Html.text(summary.message()))
                    .append("</p>");
        }
        if (verdict != null) {
            tiles(html, verdict, summary.setup().unit().perSecond());
        }
        html.append("<div class=\"tiles\">");
        outcome(html, summary);
        return html.append("</div></section>\n").toString();
    }

    /** Returns the section of a diagnosis. */
    static String of(DiagnosisData data) {
        StringBuilder html = begin(data.verdict().line());
        String rate = data.unit().perSecond();
        tiles(html, data.verdict(), rate);
        DiagnosisData.Outcome outcome = data.outcome();
        if (outcome != null) {
            html.append("<div class=\"tiles\">");
            tile(html, "before, " + rate, NumberText.number(outcome.before()), "the pipeline as it is");
            tile(
                    html,
                    "predicted, " + rate,
                    outcome.predicted() == null ? NumberText.UNKNOWN : outcome.predicted(),
                    "with all suggested changes");
            tile(html, "achieved, " + rate, NumberText.number(outcome.achieved()), outcome.file());
            html.append("</div>");
        }
        return html.append("</section>\n").toString();
    }

    private static String unknown(RunSummary summary) {
        return summary.counts().samples() == 0
                ? "limit unknown: nothing was trained on"
                : "limit unknown: the times of the stages are not known where this report was written";
    }

    private static StringBuilder begin(String line) {
        return new StringBuilder("<section id=\"verdict\">")
                .append("<p class=\"line\">")
                .append(Html.text(line))
                .append("</p>");
    }

    private static void tiles(StringBuilder html, VerdictSummary verdict, String rate) {
        verdict.contradictions().forEach(text -> html.append(Html.note("contradiction: " + text)));
        verdict.packsLines().forEach(text -> html.append(Html.note(text)));
        html.append("<div class=\"tiles\">");
        tile(html, "limited by", verdict.limit() == null ? NumberText.UNKNOWN : verdict.limit(), verdict.kind());
        tile(html, rate + ", measured", NumberText.number(verdict.imagesPerSecond()), "since the warm-up");
        tile(
                html,
                rate + " without this limit",
                fixed(verdict),
                verdict.next() == null ? null : "then limited by " + verdict.next());
        tile(html, rate + ", ceiling", NumberText.number(verdict.ceilingImagesPerSecond()), "training alone");
        tile(html, "confidence", verdict.confidence(), verdict.reason());
        html.append("</div>");
    }

    private static String fixed(VerdictSummary verdict) {
        String low = NumberText.number(verdict.fixedLowImagesPerSecond());
        String high = NumberText.number(verdict.fixedHighImagesPerSecond());
        return low.equals(high) ? low : low + " to " + high;
    }

    private static void outcome(StringBuilder html, RunSummary summary) {
        RunSummary.Counts counts = summary.counts();
        RunSummary.Speed speed = summary.speed();
        String whose = summary.setup().belongsToClients() ? "of your training loop's time" : "of the trainer's time";
        tile(html, "starved", NumberText.percent(speed.starvation()), whose);
        tile(
                html,
                summary.setup().unit().perSecond() + ", steady",
                NumberText.number(speed.steadyImagesPerSecond()),
                "without start and warm-up");
        tile(
                html,
                "samples",
                NumberText.count(counts.samples()),
                Counted.of(counts.steps(), "step") + ", " + Counted.of(counts.epochs(), "epoch"));
        List<String> times = new ArrayList<>();
        if (speed.firstStepSeconds() != null) {
            times.add(String.format(Locale.ROOT, "first step after %.1f s", speed.firstStepSeconds()));
        }
        if (counts.restarts() != null && counts.restarts() > 0) {
            times.add(Counted.of(counts.restarts(), "restart"));
        }
        tile(html, "whole run", NumberText.with("s", NumberText.number(speed.wallSeconds())), String.join(", ", times));
        if (summary.setup().belongsToClients()) {
            return;
        }
        tile(html, "loss", NumberText.number(summary.result().finalLoss()), null);
        tile(html, "accuracy", NumberText.percent(summary.result().finalAccuracy()), null);
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
