package io.millrace.diagnosis.ladder;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The rungs from the device down to nothing cached. Pure.
 *
 * @param samples that a rung cached, at most
 */
public record Ladder(List<Rung> rungs, int samples) {
    /** Of a sample's time, what is told: less is in the noise of two measurements. */
    private static final double LEAST_SHARE = 0.05;

    public Ladder {
        rungs = List.copyOf(rungs);
    }

    /**
     * What adding a stage costs.
     *
     * @param stage that runs on this rung and does not on the one above
     * @param samplesPerSecond by which this rung is slower; negative where it is faster, by chance
     * @param share of the time that a sample takes on the lowest rung, which this stage adds: rates of rungs that are many times
     *     apart cannot be compared by their differences
     * @param processorFull whether the processors were full with it, so that any other stage would show a drop, too
     */
    public record Drop(String stage, double samplesPerSecond, double share, boolean processorFull) {}

    /** What each stage costs, in order of the rungs; rungs that were not measured are stepped over. */
    public List<Drop> drops() {
        double lowest =
                rungs.stream().flatMapToDouble(rung -> rung.rate().stream()).reduce(0, (above, below) -> below);
        List<Drop> drops = new ArrayList<>();
        OptionalDouble above = OptionalDouble.empty();
        for (Rung rung : rungs) {
            if (rung.rate().isPresent()) {
                double rate = rung.rate().getAsDouble();
                if (above.isPresent()) {
                    double drop = above.getAsDouble() - rate;
                    double share = (1 / rate - 1 / above.getAsDouble()) * lowest;
                    drops.add(new Drop(rung.above(), drop, share, rung.processorFull()));
                }
                above = rung.rate();
            }
        }
        return drops;
    }

    /** The drop that the rung shows; empty at the top, and for rungs that were not measured. */
    public Optional<Drop> drop(Rung rung) {
        return drops().stream()
                .filter(drop -> drop.stage().equals(rung.above()))
                .findFirst();
    }

    /** The stage that adds most time; empty where none is worth the name, so that the device itself is the limit. */
    public Optional<Drop> largest() {
        return drops().stream()
                .max(Comparator.comparingDouble(Drop::share))
                .filter(drop -> drop.share() >= LEAST_SHARE);
    }

    /** What the trainer takes with everything cached on the device; empty for a trainer without steps. */
    public OptionalDouble ceiling() {
        return rungs.isEmpty() ? OptionalDouble.empty() : rungs.get(0).rate();
    }
}
