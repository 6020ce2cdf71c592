package io.millrace.config;

import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * What {@code train} chooses by a measurement before the run begins, and within which bounds.
 *
 * @param parts what is chosen; empty: nothing, and nothing is measured
 * @param most slots that may be chosen, at least 1; empty: four for each processor of the machines
 * @param calibration the longest measurement, from the first step on
 */
public record AutoConfig(Set<Part> parts, Optional<Integer> most, Duration calibration) {
    /** What can be chosen. */
    public enum Part {
        /** The slots of the stages that have no number of their own. */
        PARALLELISM,
        /** Which stages leave the chain, with how many slots. */
        STAGES
    }

    /** The word for it in a pipeline file. */
    static final String WORD = "auto";

    /** Long enough for the JVM to warm up and some seconds beyond. */
    static final TimeSpan STANDARD_CALIBRATION = new TimeSpan(Duration.ofSeconds(6));

    /** All is as the file says. */
    public static final AutoConfig NOTHING =
            new AutoConfig(Set.of(), Optional.empty(), STANDARD_CALIBRATION.duration());

    public AutoConfig {
        parts = Set.copyOf(parts);
        if (most.isPresent() && most.get() < 1) {
            throw new IllegalArgumentException("slots: expected at least 1, found " + most.get());
        }
        if (calibration.isNegative() || calibration.isZero()) {
            throw new IllegalArgumentException("calibration: expected more than no time, found " + calibration);
        }
    }

    /** Whether this is chosen. */
    public boolean chooses(Part part) {
        return parts.contains(part);
    }

    /** Whether anything is. */
    public boolean choosesAnything() {
        return !parts.isEmpty();
    }

    /** The same, and this is chosen too. */
    AutoConfig and(Part part) {
        Set<Part> more = EnumSet.of(part);
        more.addAll(parts);
        return new AutoConfig(more, most, calibration);
    }
}
