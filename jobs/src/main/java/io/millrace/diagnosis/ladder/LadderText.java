package io.millrace.diagnosis.ladder;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A ladder as a table for people, in ASCII. Pure. */
public final class LadderText {
    private static final String UNKNOWN = "-";

    private LadderText() {}

    /** The table and what it says, a line each. */
    public static List<String> lines(Ladder ladder) {
        List<String> lines = new ArrayList<>();
        lines.add(line("cached", "images/s", "spread", "CPU", "then comes", "drop", "time", "model", ""));
        for (Rung rung : ladder.rungs()) {
            Optional<Ladder.Drop> drop = ladder.drop(rung);
            lines.add(line(
                    rung.cache(),
                    rate(rung.samplesPerSecond()),
                    percent(rung.spread(), "%.1f %%"),
                    percent(rung.busy(), "%.0f %%"),
                    rung.above().isEmpty() ? UNKNOWN : rung.above(),
                    drop.map(d -> rate(d.samplesPerSecond())).orElse(UNKNOWN),
                    drop.map(d -> percent(d.share(), "%.0f %%")).orElse(UNKNOWN),
                    rate(rung.modelled()),
                    word(rung.agreement())));
        }
        lines.add(sentence(ladder));
        return lines;
    }

    private static String word(Rung.Agreement agreement) {
        return agreement == Rung.Agreement.UNKNOWN ? "" : agreement.name().toLowerCase(Locale.ROOT);
    }

    /** What it says in one. */
    public static String sentence(Ladder ladder) {
        Optional<Ladder.Drop> largest = ladder.largest();
        if (largest.isEmpty()) {
            return "no stage costs speed: the trainer is the limit";
        }
        Ladder.Drop drop = largest.get();
        String sentence = String.format(
                Locale.ROOT,
                "most time comes with %s: %.0f %% of what a sample takes",
                drop.stage(),
                100 * drop.share());
        return drop.processorFull()
                ? sentence + "; the processors were full, so that another stage in its place would have shown one, too"
                : sentence;
    }

    private static String rate(@Nullable Double rate) {
        if (rate == null) {
            return UNKNOWN;
        }
        return String.format(Locale.ROOT, Math.abs(rate) < 100 ? "%,.1f" : "%,.0f", rate);
    }

    private static String percent(@Nullable Double share, String format) {
        return share == null ? UNKNOWN : String.format(Locale.ROOT, format, 100 * share);
    }

    private static String line(String... cells) {
        return String.format(Locale.ROOT, "  %-26s %10s %8s %6s  %-22s %10s %6s  %10s  %s", (Object[]) cells)
                .stripTrailing();
    }
}
