package io.millrace.cli;

import io.millrace.report.RunSummary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A run in a sentence. */
final class RunTold {
    private RunTold() {}

    static String line(RunSummary summary) {
        StringBuilder line = new StringBuilder();
        line.append(
                switch (summary.status()) {
                    case FINISHED -> "finished";
                    case INTERRUPTED -> "interrupted";
                    case FAILED -> "failed after";
                });
        line.append(String.format(
                Locale.ROOT,
                " %,d samples in %,d steps, %.1f s",
                summary.counts().samples(),
                summary.counts().steps(),
                summary.speed().wallSeconds()));
        add(line, ", %,.0f images/s in steady state", summary.speed().steadyImagesPerSecond());
        Double starvation = summary.speed().starvation();
        add(line, ", starved %.0f %% of the time", starvation == null ? null : Double.valueOf(100 * starvation));
        add(line, ", loss %.4f", summary.result().finalLoss());
        Double accuracy = summary.result().finalAccuracy();
        add(line, ", accuracy %.2f %%", accuracy == null ? null : Double.valueOf(100 * accuracy));
        if (summary.counts().quarantined() > 0) {
            line.append(String.format(
                    Locale.ROOT,
                    ", %,d bad samples (quarantine.jsonl)",
                    summary.counts().quarantined()));
        }
        return line.toString();
    }

    private static void add(StringBuilder line, String format, @Nullable Double value) {
        if (value != null) {
            line.append(String.format(Locale.ROOT, format, value));
        }
    }
}
