package io.millrace.config;

import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The choices that {@code train} makes by a measurement before the run begins, and their bounds.
 *
 * @param choices the settings to choose; if there are none, nothing is measured
 * @param most the largest number of slots that may be chosen, at least 1; empty for four slots for each CPU of the
 *     machines
 * @param calibration the longest time of the measurement, from the first step on
 */
public record AutoConfig(Set<Choice> choices, Optional<Integer> most, Duration calibration) {
    /** A setting that can be chosen. */
    public enum Choice {
        /** The slots of the stages without a number of their own. */
        PARALLELISM,
        /** The stages that leave the chain, and their slots. */
        STAGES
    }

    /** The word in a pipeline file for a setting that is to be chosen. */
    static final String WORD = "auto";

    /** The default time of the measurement. It covers the warm-up of the JVM and some seconds after it. */
    static final TimeSpan STANDARD_CALIBRATION = new TimeSpan(Duration.ofSeconds(6));

    /** No choices, because the pipeline file contains all settings. */
    public static final AutoConfig NOTHING =
            new AutoConfig(Set.of(), Optional.empty(), STANDARD_CALIBRATION.duration());

    public AutoConfig {
        choices = Set.copyOf(choices);
        if (most.isPresent() && most.get() < 1) {
            throw new IllegalArgumentException("slots: expected at least 1, found " + most.get());
        }
        if (calibration.isNegative() || calibration.isZero()) {
            throw new IllegalArgumentException("calibration: expected more than no time, found " + calibration);
        }
    }

    /** Returns whether a setting is chosen. */
    public boolean chooses(Choice choice) {
        return choices.contains(choice);
    }

    /** Returns whether any setting is chosen. */
    public boolean choosesAnything() {
        return !choices.isEmpty();
    }

    /** Returns the same choices with another one added. */
    AutoConfig and(Choice choice) {
        Set<Choice> more = EnumSet.of(choice);
        more.addAll(choices);
        return new AutoConfig(more, most, calibration);
    }
}
