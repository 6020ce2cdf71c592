package io.millrace.diagnosis.ladder;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

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

    /**
     * Returns a rung that may have been measured too slow, while other programs had the cores or the JVM compiled: one above a much faster
     * one, or else the one with the largest drop, if the stages' own times name another stage. A second measurement shows it.
     *
     * @param settled the names of the rungs that cannot be measured again, or have been
     * @param limit the name of the limit that the stages' own times show; empty when it is unknown
     */
    Optional<Rung> doubtful(Set<String> settled, Optional<String> limit) {
        Optional<Rung> above = Optional.empty();
        for (Rung rung : rungs) {
            boolean faster =
                    drop(rung).filter(drop -> drop.share() <= IMPOSSIBLE).isPresent();
            if (faster && above.isPresent() && !settled.contains(above.get().cache())) {
                return above;
            }
            above = rung.rate().isPresent() ? Optional.of(rung) : above;
        }
        return largestDrop()
                .filter(drop -> !limit.equals(Optional.of(drop.stage())))
                .flatMap(drop -> rungs.stream()
                        .filter(rung -> rung.above().equals(drop.stage()))
                        .findFirst())
                .filter(rung -> !settled.contains(rung.cache()));
    }

    /**
     * Returns the drop of the stage that adds most time; empty when every drop is small, so that the trainer is the limit, or when the
     * rungs are not {@linkplain #ordered ordered}, so that no stage can be blamed.
     */
    public Optional<Drop> largest() {
        return ordered() ? largestDrop() : Optional.empty();
    }

    private Optional<Drop> largestDrop() {
        return drops().stream()
                .max(Comparator.comparingDouble(Drop::share))
                .filter(drop -> drop.share() >= LEAST_SHARE);
    }

    /** Returns the trainer's speed with all samples cached on the device; empty for a trainer without steps. */
    public OptionalDouble ceiling() {
        return rungs.isEmpty() ? OptionalDouble.empty() : rungs.get(0).rate();
    }
}
