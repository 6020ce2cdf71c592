package io.millrace.diagnosis.advice;

import io.millrace.config.ConfigException;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Prediction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The advisor, which applies all rules to a pipeline. Stateless. */
public final class Advisor {
    /** The smallest ratio of speeds that counts as a gain, because a smaller one could not be measured. */
    private static final double LEAST_GAIN = 1.03;

    /** The largest number of changes in a plan. */
    private static final int MOST_CHANGES = 8;

    private static final List<Rule> RULES = List.of(
            SlotRules::slots,
            SlotRules::shareOfCores,
            SlotRules::readThreads,
            SlotRules::datasetWorkers,
            SlotRules::dataServers,
            CodeRules::costlyLine,
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
            TrainerRules::trainThreads,
            FlinkRules::heap,
            FlinkRules::checkpointStorage);

    private static final Logger LOG = LoggerFactory.getLogger(Advisor.class);

    private Advisor() {}

    /** What a plan may do to the values of the samples. */
    public enum Values {
        KEPT,
        MAY_CHANGE
    }

    /** The function that applies settings to a pipeline file. */
    @FunctionalInterface
    public interface Setter {
        /** Returns the pipeline of the file with these settings. */
        PipelineConfig set(List<String> settings) throws ConfigException;
    }

    /**
     * Returns each change with the speed that it would give by itself, the highest speed first. Changes whose effect the
     * model cannot predict are at the end.
     */
    public static List<Predicted> advise(Situation situation) {
        double least = LEAST_GAIN * now(situation);
        Comparator<Predicted> mostFirst = Comparator.comparingDouble(Advisor::gain);
        return proposals(situation)
                .map(advice -> new Predicted(advice, predict(situation, advice)))
                .filter(advice -> advice.prediction() == null || gain(advice) >= least)
                .sorted(mostFirst.reversed())
                .toList();
    }

    /** Returns the advice of {@link #advise(Situation)} that the pipeline file accepts. */
    public static List<Predicted> advise(Situation situation, Setter setter) {
        return advise(situation).stream()
                .filter(predicted -> accepted(List.of(), predicted.advice(), setter))
                .toList();
    }

    /** Returns whether the pipeline accepts a change; if not, the rule is wrong, and the measurement must not be lost for it. */
    private static boolean accepted(List<Advice> before, Advice advice, Setter setter) {
        List<Advice> all = new ArrayList<>(before);
        all.add(advice);
        try {
            setter.set(new Plan(all, null).settings());
            return true;
        } catch (ConfigException e) {
            LOG.warn("the change {} is left out, because the pipeline rejects it", advice.change(), e);
            return false;
        }
    }

    private static Stream<Advice> proposals(Situation situation) {
        return RULES.stream().flatMap(rule -> rule.advise(situation).stream());
    }

    private static double now(Situation situation) {
        return situation.predict(situation.model()).map(Prediction::likely).orElse(Double.NaN);
    }

    private static double gain(Predicted predicted) {
        Prediction prediction = predicted.prediction();
        return prediction == null ? Double.NEGATIVE_INFINITY : prediction.likely();
    }

    private static @Nullable Prediction predict(Situation situation, Advice advice) {
        UnaryOperator<CapacityModel> effect = advice.effect();
        return effect == null
                ? null
                : situation.predict(effect.apply(situation.model())).orElse(null);
    }

    /**
     * Returns a plan that repeatedly adds the best change to the changes before it. When no single change gains speed,
     * the plan adds two changes that gain speed together. This happens when the trainer can use exactly the present
     * number of slots, so that a faster trainer by itself gains nothing.
     *
     * @param setter applies settings to the pipeline file
     * @param values whether the plan may change values of the samples
     * @throws ConfigException when the pipeline with the changes so far cannot be read any more
     */
    public static Plan plan(Situation situation, Setter setter, Values values) throws ConfigException {
        List<Advice> changes = new ArrayList<>();
        Situation at = situation;
        while (changes.size() < MOST_CHANGES) {
            List<Advice> next = next(at, changes, setter, values);
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

    private static List<Advice> next(Situation at, List<Advice> before, Setter setter, Values values)
            throws ConfigException {
        Optional<Advice> best = best(at, before, now(at), setter, values);
        if (best.isPresent()) {
            return List.of(best.get());
        }
        for (Advice first : proposals(at)
                .filter(advice -> applies(advice, values) && accepted(before, advice, setter))
                .toList()) {
            List<Advice> both = new ArrayList<>(before);
            both.add(first);
            Optional<Advice> second = best(with(at, before, first, setter), both, now(at), setter, values);
            if (second.isPresent()) {
                return List.of(first, second.get());
            }
        }
        return List.of();
    }

    /** Returns the advice with the highest predicted speed; empty when none gains enough over {@code now}, in samples/s. */
    private static Optional<Advice> best(Situation at, List<Advice> before, double now, Setter setter, Values values) {
        return advise(at).stream()
                .filter(predicted -> gain(predicted) >= LEAST_GAIN * now
                        && applies(predicted.advice(), values)
                        && accepted(before, predicted.advice(), setter))
                .map(Predicted::advice)
                .findFirst();
    }

    private static boolean applies(Advice advice, Values values) {
        return advice.effect() != null
                && !advice.settings().isEmpty()
                && (values == Values.MAY_CHANGE || !advice.changesValues());
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
