package io.millrace.diagnosis.advice;

import io.millrace.config.ConfigException;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/** Asks all rules. Pure. */
public final class Advisor {
    /** Less than this is no gain that could be measured. */
    private static final double LEAST_GAIN = 1.03;

    /** Changes in one plan. */
    private static final int MOST_CHANGES = 8;

    private static final List<Rule> RULES = List.of(
            SlotRules::slots,
            SlotRules::readThreads,
            SlotRules::dataServers,
            TransformRules::cropFirst,
            TransformRules::floatsOnDevice,
            TransformRules::reducedDecode,
            DataRules::unusedFields,
            DataRules::shards,
            TrainerRules::evaluation,
            TrainerRules::checkpoints,
            TrainerRules::batchSize,
            TrainerRules::trainThreads);

    private Advisor() {}

    /** Makes the pipeline that settings make of another. */
    @FunctionalInterface
    public interface Setter {
        /** With these settings over the file. */
        PipelineConfig set(List<String> settings) throws ConfigException;
    }

    /** What each change would give by itself, the most first; what the model cannot tell comes last. */
    public static List<Predicted> advise(Situation situation) {
        double now = situation.predict(situation.model()).orElse(Double.NaN);
        Comparator<Predicted> mostFirst = Comparator.comparingDouble(Advisor::gain);
        return RULES.stream()
                .flatMap(rule -> rule.advise(situation).stream())
                .map(advice -> predicted(situation, advice))
                .filter(advice -> advice.samplesPerSecond() == null || advice.samplesPerSecond() >= LEAST_GAIN * now)
                .sorted(mostFirst.reversed())
                .toList();
    }

    private static double gain(Predicted predicted) {
        Double rate = predicted.samplesPerSecond();
        return rate == null ? Double.NEGATIVE_INFINITY : rate;
    }

    private static Predicted predicted(Situation situation, Advice advice) {
        UnaryOperator<CapacityModel> effect = advice.effect();
        return new Predicted(
                advice,
                effect == null
                        ? null
                        : situation.predict(effect.apply(situation.model())).orElse(null));
    }

    /**
     * Takes the best change again and again, each on top of those before.
     *
     * @param setter of settings over the pipeline file
     * @throws ConfigException when a pipeline does not take a setting that was advised
     */
    public static Plan plan(Situation situation, Setter setter) throws ConfigException {
        List<Advice> changes = new ArrayList<>();
        Situation at = situation;
        while (changes.size() < MOST_CHANGES) {
            Advice best = advise(at).stream()
                    .filter(predicted -> predicted.samplesPerSecond() != null)
                    .map(Predicted::advice)
                    .filter(advice -> !advice.settings().isEmpty())
                    .findFirst()
                    .orElse(null);
            UnaryOperator<CapacityModel> effect = best == null ? null : best.effect();
            if (best == null || effect == null) {
                break;
            }
            changes.add(best);
            List<String> settings = changes.stream()
                    .flatMap(advice -> advice.settings().stream())
                    .toList();
            at = at.changed(setter.set(settings), effect.apply(at.model()));
        }
        return new Plan(changes, at.predict(at.model()).orElse(null));
    }
}
