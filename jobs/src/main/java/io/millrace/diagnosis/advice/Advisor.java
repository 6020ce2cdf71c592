package io.millrace.diagnosis.advice;

import io.millrace.config.ConfigException;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
            WireRules::bits,
            WireRules::sparse,
            WireRules::halfFloats,
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
        double least = LEAST_GAIN * now(situation);
        Comparator<Predicted> mostFirst = Comparator.comparingDouble(Advisor::gain);
        return asked(situation)
                .map(advice -> new Predicted(advice, predict(situation, advice)))
                .filter(advice -> advice.samplesPerSecond() == null || advice.samplesPerSecond() >= least)
                .sorted(mostFirst.reversed())
                .toList();
    }

    private static Stream<Advice> asked(Situation situation) {
        return RULES.stream().flatMap(rule -> rule.advise(situation).stream());
    }

    private static double now(Situation situation) {
        return situation.predict(situation.model()).orElse(Double.NaN);
    }

    private static double gain(Predicted predicted) {
        Double rate = predicted.samplesPerSecond();
        return rate == null ? Double.NEGATIVE_INFINITY : rate;
    }

    private static @Nullable Double predict(Situation situation, Advice advice) {
        UnaryOperator<CapacityModel> effect = advice.effect();
        return effect == null
                ? null
                : situation.predict(effect.apply(situation.model())).orElse(null);
    }

    /**
     * Takes the best change again and again, each on top of those before. Where none gains by itself, two are taken that do
     * together: slots that are just as many as the trainer can use hide what else would help it.
     *
     * @param setter of settings over the pipeline file
     * @throws ConfigException when a pipeline does not take a setting that was advised
     */
    public static Plan plan(Situation situation, Setter setter) throws ConfigException {
        List<Advice> changes = new ArrayList<>();
        Situation at = situation;
        while (changes.size() < MOST_CHANGES) {
            List<Advice> next = next(at, changes, setter);
            if (next.isEmpty()) {
                break;
            }
            for (Advice advice : next) {
                at = with(at, changes, advice, setter);
                changes.add(advice);
            }
        }
        return new Plan(changes, at.predict(at.model()).orElse(null));
    }

    private static List<Advice> next(Situation at, List<Advice> before, Setter setter) throws ConfigException {
        Optional<Advice> best = best(at, now(at));
        if (best.isPresent()) {
            return List.of(best.get());
        }
        for (Advice first : asked(at).filter(Advisor::applies).toList()) {
            Optional<Advice> second = best(with(at, before, first, setter), now(at));
            if (second.isPresent()) {
                return List.of(first, second.get());
            }
        }
        return List.of();
    }

    /** The advice that gives most, and more than so much. */
    private static Optional<Advice> best(Situation at, double now) {
        return advise(at).stream()
                .filter(predicted -> predicted.samplesPerSecond() != null
                        && predicted.samplesPerSecond() >= LEAST_GAIN * now
                        && applies(predicted.advice()))
                .map(Predicted::advice)
                .findFirst();
    }

    private static boolean applies(Advice advice) {
        return advice.effect() != null && !advice.settings().isEmpty();
    }

    private static Situation with(Situation at, List<Advice> before, Advice advice, Setter setter)
            throws ConfigException {
        UnaryOperator<CapacityModel> effect = advice.effect();
        List<Advice> all = new ArrayList<>(before);
        all.add(advice);
        PipelineConfig config = setter.set(new Plan(all, null).settings());
        return at.changed(config, effect == null ? at.model() : effect.apply(at.model()));
    }
}
