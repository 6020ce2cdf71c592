package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.order.Mixture;
import io.millrace.order.MixturePlan;
import io.millrace.order.MixturePlan.Phase;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The shares of the datasets of a mixture in the steps of a run.
 *
 * <p>Tested by {@code MixConfigTest}.
 *
 * @param plan the phases of the run
 * @param epoch the number of steps of an epoch; empty for all steps of the run
 * @param jitter the number of positions of a window whose samples are permuted; 1 for none
 */
public record MixConfig(MixturePlan plan, Optional<Long> epoch, int jitter) {
    /** The largest number of steps of a phase, so that sums of steps do not overflow. */
    private static final long MOST_STEPS = 1_000_000_000_000_000L;

    static final Option<Object> MIX = Option.of(
                    "mix",
                    Types.structure("list of {steps, weights, ramp}"),
                    "The shares of the datasets: phases, one after the other. When a run is resumed, the phases may differ from the"
                            + " step on at which it resumes.")
            .optional();
    static final Option<Long> EPOCH = Option.of(
                    "mix_epoch",
                    count(),
                    "The number of steps of an epoch of a mixture, after which a run reports and evaluates. Default: all steps of the"
                            + " mix; required when its last phase has no steps.")
            .optional()
            .decides(Identity.TRAINING);
    static final Option<Integer> JITTER = Option.of(
                    "mix_jitter",
                    Types.between(1, Mixture.MOST_JITTER),
                    "The number of samples of a window in which the samples of a mixture are permuted, so that the datasets do not"
                            + " follow one another in a fixed pattern. 1: no window.")
            .orElse(1)
            .decides(Identity.BATCHES);
    static final Option<Long> STEPS = Option.of(
                    "steps",
                    count(),
                    "The number of steps of the phase. The last phase may be without: it does not end.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Map<String, String>> WEIGHTS = Option.of(
                    "weights",
                    OptionType.of("{name: weight}", MixConfig::weights),
                    "The weights of the datasets: whole numbers, decimals, or fractions such as 1/3. Only their ratios count; a dataset"
                            + " that is not named has the weight 0.")
            .decides(Identity.NOTHING);
    static final Option<Long> RAMP = Option.of(
                    "ramp",
                    OptionType.LONG.where(
                            steps -> steps >= 0 && steps <= MOST_STEPS, "a number of steps from 0 to " + MOST_STEPS),
                    "The number of steps, from the beginning of the phase, in which the weights change evenly from those of the phase"
                            + " before to those of this one. A phase with fewer steps ends within its ramp.")
            .orElse(0L)
            .decides(Identity.NOTHING);
    static final List<Option<?>> PHASE_OPTIONS = List.of(STEPS, WEIGHTS, RAMP);

    /** Returns the type of a number of steps. */
    static OptionType<Long> count() {
        return OptionType.LONG.where(
                steps -> steps >= 1 && steps <= MOST_STEPS, "a number of steps from 1 to " + MOST_STEPS);
    }

    /** Returns the type of a number of steps, or of a word that stands for {@code meaning}. */
    static OptionType<Long> countOr(String word, long meaning) {
        String steps = "number of steps from 1 to " + MOST_STEPS;
        return OptionType.of(
                steps + ", or " + word, raw -> Types.countOr(raw, MOST_STEPS, "a " + steps, word, meaning));
    }

    private static Map<String, String> weights(Object raw) {
        if (!(raw instanceof Map<?, ?> map) || map.isEmpty()) {
            throw OptionType.expected("names of datasets with their weights, such as {web: 0.8, code: 0.2}", raw);
        }
        Map<String, String> weights = new LinkedHashMap<>();
        map.forEach((name, weight) -> weights.put(String.valueOf(name), text(weight)));
        return weights;
    }

    /** Returns a number as it is written, because a float has not the exact value. */
    private static String text(Object weight) {
        if (weight instanceof Double number && Double.isFinite(number)) {
            return BigDecimal.valueOf(number).toPlainString();
        }
        return String.valueOf(weight == null ? Types.NOTHING : weight);
    }

    /** Returns the mixture of the file; empty when it has none or a problem was reported. */
    static Optional<MixConfig> read(Section root, List<String> sources) {
        int before = root.reading().problems().count();
        List<Section> sections = root.sections(MIX, PHASE_OPTIONS);
        if (sections.isEmpty()) {
            root.report(MIX, "missing: " + MIX.help());
            return Optional.empty();
        }
        List<Phase> phases = sections.stream()
                .map(section -> new Phase(
                        section.find(STEPS).orElse(MixturePlan.OPEN),
                        section.find(WEIGHTS).orElse(Map.of()),
                        section.get(RAMP)))
                .toList();
        for (int i = 0; i < phases.size(); i++) {
            check(sections.get(i), phases.get(i), i, phases.size(), sources);
        }
        boolean open = sections.get(sections.size() - 1).entry(STEPS).isEmpty();
        Optional<Long> epoch = root.find(EPOCH);
        if (open && epoch.isEmpty()) {
            root.report(
                    EPOCH, "missing: the last phase of mix has no steps, so that the run needs a length of its epochs");
        }
        return root.reading().problems().count() == before
                ? Optional.of(new MixConfig(new MixturePlan(phases), epoch, root.get(JITTER)))
                : Optional.empty();
    }

    private static void check(Section section, Phase phase, int number, int count, List<String> sources) {
        if (number < count - 1 && section.entry(STEPS).isEmpty()) {
            section.report(STEPS, "missing: only the last phase may have no steps");
        }
        for (String name : phase.weights().keySet()) {
            if (!sources.isEmpty() && !sources.contains(name)) {
                section.report(WEIGHTS, "there is no dataset '" + name + "', " + Spelling.hint(name, sources));
            }
        }
        if (phase.ramp() > 0 && number == 0) {
            section.report(
                    RAMP, "expected no ramp in the first phase, which has no phase before it, found " + phase.ramp());
        }
    }

    /** Returns the same mixture, whose last phase does not end, in epochs of the same length. */
    MixConfig endless() {
        return new MixConfig(plan.endless(), Optional.of(epochSteps()), jitter);
    }

    /** Returns the number of steps of an epoch. */
    public long epochSteps() {
        return epoch.orElseGet(plan::steps);
    }

    void write(WrittenConfig root) {
        root.sections(MIX, plan.phases(), (phase, section) -> {
                    if (phase.steps() != MixturePlan.OPEN) {
                        section.put(STEPS, phase.steps());
                    }
                    section.put(WEIGHTS, phase.weights()).put(RAMP, phase.ramp());
                })
                .put(EPOCH, epoch)
                .put(JITTER, jitter);
    }
}
