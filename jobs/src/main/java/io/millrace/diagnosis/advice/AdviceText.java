package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.Prediction;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The text form of advice. Pure. */
public final class AdviceText {
    private static final String CHANGES_VALUES = " [changes values: --apply needs --allow-other-pixels]";

    private AdviceText() {}

    /** Returns two lines for each proposal, in the given order. */
    public static List<String> lines(List<Predicted> advice) {
        List<String> lines = new ArrayList<>();
        for (Predicted predicted : advice) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %s  %s",
                    rate(predicted.prediction()),
                    predicted.advice().reason() + (predicted.advice().changesValues() ? CHANGES_VALUES : "")));
            lines.add("      " + predicted.advice().change());
        }
        return lines;
    }

    private static String rate(@Nullable Prediction prediction) {
        return prediction == null ? "  worth a try" : String.format(Locale.ROOT, "%16s images/s", prediction.text());
    }
}
