package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.Limit;
import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import java.util.List;
import java.util.Locale;

/** The rule for code of the user that a stage calls: its costliest line. */
final class CodeRules {
    /** A line with a smaller share of the time is not worth a change. */
    private static final double LEAST_SHARE = 0.2;

    private CodeRules() {}

    /** Proposes a cheaper line, and predicts the throughput without it. */
    static List<Advice> costlyLine(Situation situation) {
        String stage = situation.limit().map(Limit::culprit).orElse("");
        CodeProfile code = situation.code().get(stage);
        CodeLine line = code == null ? null : code.costliest().orElse(null);
        if (code == null || code.describesDatasets() || line == null || code.share(line) < LEAST_SHARE) {
            return List.of();
        }
        double share = code.share(line);
        return List.of(Advice.act(
                String.format(
                        Locale.ROOT,
                        "%s spends %.0f %% of its time in %s of %s; the prediction is without this line",
                        code.call(),
                        100 * share,
                        line.place(),
                        line.function()),
                "make this line cheaper: " + (line.text().isEmpty() ? line.place() : line.text()),
                model -> model.scaled(stage, 1 - share)));
    }
}
