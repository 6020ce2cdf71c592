package io.millrace.diagnosis.planted;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** The text form of a self-test: a table of its cases. Pure. */
final class SelfTestText {
    private SelfTestText() {}

    /** Returns the names of the columns. Speeds are in images per second, or in tokens per second. */
    static String header() {
        return row("case", "planted", "named", "before", "predicted", "range", "achieved", "error");
    }

    /** Returns the row of a case. An exclamation mark shows that the culprit was not named, or the range missed. */
    static String line(CaseResult result) {
        return row(
                result.name(),
                result.planted(),
                result.found() ? result.named() : result.named() + " !",
                rate(result.before()),
                Optional.ofNullable(result.predicted()).map(SelfTestText::rate).orElse("-"),
                Optional.ofNullable(result.prediction())
                        .map(prediction ->
                                prediction.contains(result.achieved()) ? prediction.text() : prediction.text() + " !")
                        .orElse("-"),
                rate(result.achieved()),
                Optional.ofNullable(result.error()).map(SelfTestText::percent).orElse("-"));
    }

    /** Returns a summary: the number of culprits that were named, and the errors and ranges of the predictions. */
    static String summary(List<CaseResult> results) {
        long found = results.stream().filter(CaseResult::found).count();
        List<Double> errors = results.stream()
                .map(CaseResult::error)
                .filter(Objects::nonNull)
                .sorted()
                .toList();
        String named = String.format(Locale.ROOT, "%d of %d culprits named", found, results.size());
        return errors.isEmpty()
                ? named + System.lineSeparator()
                : String.format(
                        Locale.ROOT,
                        "%s; prediction error: median %s, most %s; %d of %d outcomes in the predicted range%n",
                        named,
                        percent(median(errors)),
                        percent(errors.get(errors.size() - 1)),
                        results.stream()
                                .filter(result -> Boolean.TRUE.equals(result.inRange()))
                                .count(),
                        errors.size());
    }

    private static double median(List<Double> sorted) {
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "%-26s %-36s %-36s %10s %10s %18s %10s %7s", cells)
                .stripTrailing();
    }

    private static String rate(double samplesPerSecond) {
        return String.format(Locale.ROOT, samplesPerSecond < 100 ? "%,.1f" : "%,.0f", samplesPerSecond);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
