package io.millrace.diagnosis.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Advice for people. Pure. */
public final class AdviceText {
    private AdviceText() {}

    /** Two lines for each, the most gain first. */
    public static List<String> lines(List<Predicted> advice) {
        List<String> lines = new ArrayList<>();
        for (Predicted predicted : advice) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %s  %s",
                    rate(predicted.samplesPerSecond()),
                    predicted.advice().reason()));
            lines.add("      " + predicted.advice().change());
        }
        return lines;
    }

    private static String rate(@Nullable Double rate) {
        return rate == null ? "  worth a try" : String.format(Locale.ROOT, "%,8.0f images/s", rate);
    }
}
