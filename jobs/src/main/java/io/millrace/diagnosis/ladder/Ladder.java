package io.millrace.diagnosis.ladder;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The measured rungs of a ladder, from the device down to nothing cached. Pure.
 *
 * @param samples the number of samples that each rung cached
 */
public record Ladder(List<Rung> rungs, int samples) {
    /** The smallest share of a sample's time that is reported. Smaller shares are within the noise of two measurements. */
    private static final double LEAST_SHARE = 0.05;

    public Ladder {
        rungs = List.copyOf(rungs);
    }

    /**
     * The cost of a stage: the drop in speed from the rung above to the rung that runs the stage.
     *
     * @param stage the stage that runs on this rung and not on the rung above
     * @param samplesPerSecond the loss of speed; negative when this rung is faster by chance
     * @param share the time that the stage adds to a sample, as a share of a sample's time on the lowest rung. Unlike
     *     losses of speed, these shares can be compared between fast rungs and slow rungs.
     * @param coresFull whether all cores were in use on this rung, so that any other stage would also show a drop
     */
    public record Drop(String stage, double samplesPerSecond, double share, boolean coresFull) {}

    /** Returns the cost of each stage, in the order of the rungs. Rungs that were not measured are left out. */
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
                    drops.add(new Drop(rung.above(), drop, share, rung.coresFull()));
                }
                above = rung.rate();
            }
        }
        return drops;
    }

    /** Returns the drop at a rung; empty at the top, and for rungs that were not measured. */
    public Optional<Drop> drop(Rung rung) {
        return drops().stream()
                .filter(drop -> drop.stage().equals(rung.above()))
                .findFirst();
    }

    /** The gain of speed by a further stage, as a share of a sample's time, that no noise of a quiet machine explains. */
    private static final double IMPOSSIBLE = -0.3;

    /** Returns whether no rung is much faster than the one above it, which does less: otherwise the shares are no measure. */
    public boolean ordered() {
        return drops().stream().allMatch(drop -> drop.share() > IMPOSSIBLE);
    }

    /** Returns the drop of the stage that adds most time; empty when every drop is small, so that the trainer is the limit. */
    public Optional<Drop> largest() {
        return drops().stream()
                .max(Comparator.comparingDouble(Drop::share))
                .filter(drop -> drop.share() >= LEAST_SHARE);
    }

    /** Returns the trainer's speed with all samples cached on the device; empty for a trainer without steps. */
    public OptionalDouble ceiling() {
        return rungs.isEmpty() ? OptionalDouble.empty() : rungs.get(0).rate();
    }
}
