package io.millrace.diagnosis.ladder;

import io.millrace.diagnosis.Limit;
import io.millrace.report.TextColumns;
import io.millrace.sample.Counted;
import io.millrace.sample.SampleUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The text form of a ladder: a table in ASCII. Pure.
 *
 * <p>Tested by {@code LadderTest}.
 */
public final class LadderText {
    private static final String UNKNOWN = "-";

    /** A smaller share of the time is shown as 0. */
    private static final double NONE = 0.005;

    private LadderText() {}

    /**
     * Returns the lines of a table with the throughput of each rung and the time of each stage, and sentences about it. The table is
     * at most 80 columns wide if the names of the stages are not long.
     *
     * @param unit the word for the samples in throughputs
     * @param limit the limit that the stages' own times show; empty when it is unknown
     */
    public static List<String> lines(Ladder ladder, SampleUnit unit, Optional<Limit> limit) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("cached", unit.perSecond(), "CPU", "next stage", "time"));
        for (Rung rung : ladder.rungs()) {
            rows.add(List.of(rung.cache(), rate(rung.samplesPerSecond()), busy(rung), above(rung), time(ladder, rung)));
        }
        List<String> lines = table(rows, Set.of(0, 3), ladder, limit);
        unit.readNote().ifPresent(lines::add);
        long differ = ladder.rungs().stream()
                .filter(rung -> rung.agreement() == Rung.Agreement.DIFFERS)
                .count();
        if (differ > 0) {
            lines.add(differ + " of " + Counted.of(ladder.rungs().size(), "rate")
                    + (differ == 1 ? " differs" : " differ")
                    + " by more than a quarter from what the times of the stages predict (--verbose)");
        }
        return lines;
    }

    /** Returns the lines of a table with all figures, and the sentence about it. */
    public static List<String> allFigures(Ladder ladder, SampleUnit unit, Optional<Limit> limit) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("cached", unit.perSecond(), "spread", "CPU", "next stage", "drop", "time", "model", ""));
        for (Rung rung : ladder.rungs()) {
            rows.add(List.of(
                    rung.cache(),
                    rate(rung.samplesPerSecond()),
                    percent(rung.spread(), "%.1f %%"),
                    busy(rung),
                    above(rung),
                    ladder.drop(rung).map(d -> rate(d.samplesPerSecond())).orElse(UNKNOWN),
                    time(ladder, rung),
                    rate(rung.modelled()),
                    word(rung.agreement())));
        }
        List<String> lines = table(rows, Set.of(0, 4, 8), ladder, limit);
        unit.readNote().ifPresent(lines::add);
        return lines;
    }

    private static String busy(Rung rung) {
        return percent(rung.busy(), "%.0f %%");
    }

    /** Returns the stage that runs in the next rung and not in this one. */
    private static String above(Rung rung) {
        return rung.above().isEmpty() ? UNKNOWN : rung.above();
    }

    private static String time(Ladder ladder, Rung rung) {
        return ladder.drop(rung)
                .map(d -> percent(Math.abs(d.share()) < NONE ? 0 : d.share(), "%.0f %%"))
                .orElse(UNKNOWN);
    }

    /** Returns the lines of a table, and the sentences about its largest drop. */
    private static List<String> table(
            List<List<String>> rows, Set<Integer> names, Ladder ladder, Optional<Limit> limit) {
        List<String> lines = new ArrayList<>();
        TextColumns.aligned(rows, names).forEach(line -> lines.add("  " + line));
        lines.add(largest(ladder, limit));
        fullCores(ladder).ifPresent(lines::add);
        return lines;
    }

    private static String word(Rung.Agreement agreement) {
        return agreement == Rung.Agreement.UNKNOWN ? "" : agreement.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the sentence that names the stage with the largest cost and says how it fits to the limit, with the one about the
     * cores.
     *
     * @param limit the limit that the stages' own times show; empty when it is unknown
     */
    public static String sentence(Ladder ladder, Optional<Limit> limit) {
        return largest(ladder, limit)
                + fullCores(ladder).map(cores -> "; " + cores).orElse("");
    }

    private static String largest(Ladder ladder, Optional<Limit> limit) {
        if (!ladder.ordered()) {
            return "which stage costs the most time is uncertain, because rungs were faster than others that do less: the machine was"
                    + " too busy, or its speed changed";
        }
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
        return sentence + limit.map(l -> relation(ladder, drop, l)).orElse("");
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

    /** Returns the sentence about the cores for a ladder whose largest drop was measured while all of them were in use. */
    private static Optional<String> fullCores(Ladder ladder) {
        return ladder.largest()
                .filter(Ladder.Drop::coresFull)
                .map(drop -> "all cores were in use, so any other stage would have shown a drop, too");
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
}
