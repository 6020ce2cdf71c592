package io.millrace.diagnosis.ladder;

import io.millrace.diagnosis.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The text form of a ladder: a table in ASCII. Pure. */
public final class LadderText {
    private static final String UNKNOWN = "-";

    private LadderText() {}

    /**
     * Returns the lines of the table, and a sentence about it.
     *
     * @param limit the limit that the stages' own times show; empty when it is unknown
     */
    public static List<String> lines(Ladder ladder, Optional<Limit> limit) {
        List<String> lines = new ArrayList<>();
        lines.add(line("cached", "images/s", "spread", "CPU", "next stage", "drop", "time", "model", ""));
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
        lines.add(sentence(ladder, limit));
        return lines;
    }

    private static String word(Rung.Agreement agreement) {
        return agreement == Rung.Agreement.UNKNOWN ? "" : agreement.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the sentence that names the stage with the largest cost, and says how it fits to the limit.
     *
     * @param limit the limit that the stages' own times show; empty when it is unknown
     */
    public static String sentence(Ladder ladder, Optional<Limit> limit) {
        Optional<Ladder.Drop> largest = ladder.largest();
        if (largest.isEmpty()) {
            return "no stage costs speed: the trainer is the limit";
        }
        Ladder.Drop drop = largest.get();
        String sentence = String.format(
                Locale.ROOT,
                "%s costs the most time: %.0f %% of the time per sample",
                drop.stage(),
                100 * drop.share());
        return sentence
                + limit.map(l -> relation(ladder, drop, l)).orElse("")
                + (drop.coresFull() ? "; all cores were in use, so any other stage would have shown a drop, too" : "");
    }

    /** Returns what a user must know who reads one name in the ladder and another one in the verdict. */
    private static String relation(Ladder ladder, Ladder.Drop drop, Limit limit) {
        return switch (limit.kind()) {
            case OTHERS -> ", a part of it while other programs had its core";
            case COLLECTIONS -> ", a part of it while garbage collections stopped it";
            case SLOTS, STRAGGLER, SAMPLES, STORAGE, CORES, LINK, NETWORK, TRAINER, TRAINING, EVALUATION ->
                limit.culprit().equals(drop.stage())
                                || ladder.drops().stream()
                                        .noneMatch(other -> other.stage().equals(limit.culprit()))
                        ? ""
                        : "; the stages' own times show " + limit.culprit()
                                + " as the limit: trust neither before you know why they differ";
        };
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
