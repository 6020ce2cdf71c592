package io.millrace.order;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The phases of a mixture as they are written: in steps, with the names of the datasets.
 *
 * <p>Tested by {@code MixConfigTest} and {@code SampleUsesTest}.
 *
 * @param phases the phases, in order, at least one
 */
public record MixturePlan(List<Phase> phases) implements Serializable {
    /** The number of steps of a phase that does not end. */
    public static final long OPEN = Long.MAX_VALUE;

    private static final Pattern PHASE = Pattern.compile("(\\d+|open)(?: ramp (\\d+))?: (.*)");
    private static final Pattern WEIGHT = Pattern.compile("([A-Za-z0-9_-]+)=(\\S+)");

    /**
     * A phase.
     *
     * @param steps the number of steps, at least 1, or {@link #OPEN}
     * @param weights the weights as they are written, by the names of the datasets; the others have the weight 0
     * @param ramp the number of steps in which the weights change from those of the phase before
     */
    public record Phase(long steps, Map<String, String> weights, long ramp) implements Serializable {
        public Phase {
            weights = Collections.unmodifiableMap(new LinkedHashMap<>(weights));
        }
    }

    public MixturePlan {
        phases = List.copyOf(phases);
    }

    /** Returns the plan of a run that goes through one dataset again and again, without an end. */
    public static MixturePlan of(String name) {
        return new MixturePlan(List.of(new Phase(OPEN, Map.of(name, "1"), 0)));
    }

    /** Returns the number of steps of all phases, or {@link #OPEN}. */
    public long steps() {
        long steps = 0;
        for (Phase phase : phases) {
            if (phase.steps == OPEN) {
                return OPEN;
            }
            steps = Math.addExact(steps, phase.steps);
        }
        return steps;
    }

    /** Returns the same plan, whose last phase does not end. */
    public MixturePlan endless() {
        List<Phase> open = new ArrayList<>(phases);
        Phase last = open.remove(open.size() - 1);
        open.add(new Phase(OPEN, last.weights, last.ramp));
        return new MixturePlan(open);
    }

    /**
     * Returns the division of positions among the datasets.
     *
     * @param names the names of the datasets, by their numbers
     * @param rows the number of positions of a step
     * @param jitter the number of positions of a window whose samples are permuted, 1 for none
     * @param seed the seed of the run
     * @throws IllegalArgumentException when a weight is no number, or the numbers are out of range; the message is a sentence
     */
    public Mixture mixture(List<String> names, long rows, int jitter, long seed) {
        List<MixturePhase> made = new ArrayList<>();
        for (int i = 0; i < phases.size(); i++) {
            Phase phase = phases.get(i);
            List<String> texts = names.stream()
                    .map(name -> phase.weights.getOrDefault(name, "0"))
                    .toList();
            try {
                made.add(new MixturePhase(
                        phase.steps == OPEN ? MixturePhase.OPEN : Math.multiplyExact(phase.steps, rows),
                        MixtureWeights.parse(names, texts),
                        Math.multiplyExact(phase.ramp, rows)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("phase " + (i + 1) + ": " + e.getMessage(), e);
            } catch (ArithmeticException e) {
                throw new IllegalArgumentException(
                        "phase " + (i + 1) + " has " + phase.steps + " steps of " + rows + " samples, more than 2^62",
                        e);
            }
        }
        return new Mixture(made, jitter, seed);
    }

    /**
     * Returns the first step at which this plan and another one of the same run may differ; {@link Long#MAX_VALUE} for none. The end of a
     * last phase is no difference, because a run decides itself how long it is.
     */
    public long firstDifference(MixturePlan other) {
        List<String> names = Stream.concat(phases.stream(), other.phases.stream())
                .flatMap(phase -> phase.weights.keySet().stream())
                .distinct()
                .toList();
        return endless().mixture(names, 1, 1, 0).firstDifference(other.endless().mixture(names, 1, 1, 0));
    }

    /** Returns the plan as one line: {@code 10000: web=0.8 code=0.2; open ramp 2000: web=0.6 code=0.3 math=0.1}. */
    @Override
    public String toString() {
        StringJoiner line = new StringJoiner("; ");
        for (Phase phase : phases) {
            StringJoiner weights = new StringJoiner(" ");
            phase.weights.forEach((name, weight) -> weights.add(name + "=" + weight.replaceAll("\\s", "")));
            line.add((phase.steps == OPEN ? "open" : phase.steps)
                    + (phase.ramp > 0 ? " ramp " + phase.ramp : "")
                    + ": " + weights);
        }
        return line.toString();
    }

    /**
     * Reads a plan as {@link #toString} writes it.
     *
     * @throws IllegalArgumentException when the text is something else
     */
    public static MixturePlan parse(String line) {
        List<Phase> phases = new ArrayList<>();
        for (String text : line.split("; ", -1)) {
            Matcher phase = PHASE.matcher(text);
            if (!phase.matches()) {
                throw new IllegalArgumentException("expected a phase of a mixture, found '" + text + "'");
            }
            Map<String, String> weights = new LinkedHashMap<>();
            for (String part : phase.group(3).split(" ", -1)) {
                Matcher weight = WEIGHT.matcher(part);
                if (!weight.matches()) {
                    throw new IllegalArgumentException("expected the weight of a dataset, found '" + part + "'");
                }
                weights.put(weight.group(1), weight.group(2));
            }
            phases.add(new Phase(
                    phase.group(1).equals("open") ? OPEN : Long.parseLong(phase.group(1)),
                    weights,
                    phase.group(2) == null ? 0 : Long.parseLong(phase.group(2))));
        }
        return new MixturePlan(phases);
    }
}
