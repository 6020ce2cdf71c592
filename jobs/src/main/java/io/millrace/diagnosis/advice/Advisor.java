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
            SequenceRules::betterPacks,
            SequenceRules::tokenizeOnce,
            SequenceRules::otherEngine,
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
        Changed now = new Changed(situation, List.of());
        return advise(situation).stream()
                .filter(predicted -> now.plus(predicted.advice(), setter).isPresent())
                .toList();
    }

    /** The situation after changes. */
    private record Changed(Situation at, List<Advice> changes) {
        /** Returns the situation after one more change; empty when the pipeline file rejects it. */
        Optional<Changed> plus(Advice advice, Setter setter) {
            List<Advice> all = new ArrayList<>(changes);
            all.add(advice);
            UnaryOperator<CapacityModel> effect = advice.effect();
            try {
                PipelineConfig config = setter.set(new Plan(all, null).settings());
                return Optional.of(
                        new Changed(at.changed(config, effect == null ? at.model() : effect.apply(at.model())), all));
            } catch (ConfigException e) {
                // The rule is wrong, and the measurement must not be lost for it.
                LOG.warn("the change {} is left out, because the pipeline rejects it", advice.change(), e);
                return Optional.empty();
            }
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
     */
    public static Plan plan(Situation situation, Setter setter, Values values) {
        Changed now = new Changed(situation, List.of());
        for (Optional<Changed> next = next(now, setter, values);
                next.isPresent() && now.changes().size() < MOST_CHANGES;
                next = next(now, setter, values)) {
            now = next.get();
        }
        return new Plan(now.changes(), now.at().predict(now.at().model()).orElse(null));
    }

    private static Optional<Changed> next(Changed now, Setter setter, Values values) {
        double speed = now(now.at());
        return best(now, speed, setter, values).or(() -> proposals(now.at())
                .filter(advice -> applies(advice, values))
                .flatMap(first -> now.plus(first, setter).stream())
                .flatMap(one -> best(one, speed, setter, values).stream())
                .findFirst());
    }

    /** Returns the situation after the best further change; empty when none gains enough over {@code speed}, in samples/s. */
    private static Optional<Changed> best(Changed now, double speed, Setter setter, Values values) {
        return advise(now.at()).stream()
                .filter(predicted -> gain(predicted) >= LEAST_GAIN * speed && applies(predicted.advice(), values))
                .flatMap(predicted -> now.plus(predicted.advice(), setter).stream())
                .findFirst();
    }

    private static boolean applies(Advice advice, Values values) {
        return advice.effect() != null
                && !advice.settings().isEmpty()
                && (values == Values.MAY_CHANGE || !advice.changesValues());
    }
}
