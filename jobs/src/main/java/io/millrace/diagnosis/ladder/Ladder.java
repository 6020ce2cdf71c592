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
    /** Of the ceiling, a drop that is told: less is in the noise of two measurements. */
    private static final double LEAST_SHARE = 0.05;

    public Ladder {
        rungs = List.copyOf(rungs);
    }

    /**
     * What adding a stage costs.
     *
     * @param stage that runs on this rung and does not on the one above
     * @param samplesPerSecond by which this rung is slower; negative where it is faster, by chance
     * @param share of the best rung's rate
     * @param processorFull whether the processors were full with it, so that any other stage would show a drop, too
     */
    public record Drop(String stage, double samplesPerSecond, double share, boolean processorFull) {}

    /** What each stage costs, in order of the rungs; rungs that were not measured are stepped over. */
    public List<Drop> drops() {
        double best = rungs.stream()
                .flatMapToDouble(rung -> rung.rate().stream())
                .max()
                .orElse(0);
        List<Drop> drops = new ArrayList<>();
        OptionalDouble above = OptionalDouble.empty();
        for (Rung rung : rungs) {
            if (rung.rate().isPresent()) {
                double rate = rung.rate().getAsDouble();
                if (above.isPresent() && best > 0) {
                    double drop = above.getAsDouble() - rate;
                    drops.add(new Drop(rung.above(), drop, drop / best, rung.processorFull()));
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

    /** The largest drop; empty where no drop is worth the name, so that the device itself is the limit. */
    public Optional<Drop> largest() {
        return drops().stream()
                .max(Comparator.comparingDouble(Drop::samplesPerSecond))
                .filter(drop -> drop.share() >= LEAST_SHARE);
    }

    /** What the trainer takes with everything cached on the device; empty for a trainer without steps. */
    public OptionalDouble ceiling() {
        return rungs.isEmpty() ? OptionalDouble.empty() : rungs.get(0).rate();
    }
}
