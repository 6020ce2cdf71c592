package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.Prediction;
import io.millrace.sample.SampleUnit;
import java.util.ArrayList;
import java.util.List;

/** The text form of advice. Pure. */
public final class AdviceText {
    private static final String CHANGES_VALUES = " [changes values: --apply needs --allow-other-pixels]";

    private AdviceText() {}

    /** Returns two lines for each proposal, in the given order: the change with its gain, and the reason. */
    public static List<String> lines(List<Predicted> advice, SampleUnit unit) {
        List<String> lines = new ArrayList<>();
        for (Predicted predicted : advice) {
            Prediction prediction = predicted.prediction();
            lines.add("  " + predicted.advice().change() + ": "
                    + (prediction != null
                            ? prediction.text() + " " + unit.perSecond()
                            : predicted.advice().gain().isEmpty()
                                    ? "worth a try"
                                    : predicted.advice().gain())
                    + (predicted.advice().changesValues() ? CHANGES_VALUES : ""));
            lines.add("      " + predicted.advice().reason());
        }
        return lines;
    }
}
