package io.millrace.diagnosis.advice;

import io.millrace.config.CheckpointConfig;
import io.millrace.config.EvaluateConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** The rules about the trainer: the work beside its steps, and the size of the steps. */
final class TrainerRules {
    private static final String EVALUATE = "evaluate";
    private static final String CHECKPOINT = "checkpoint";

    /** The smallest share of the trainer's time for which a change is proposed. */
    private static final double MUCH = 0.1;

    /** The share of the trainer's time that the work has after the change. */
    private static final double LITTLE = 0.05;

    /** The time of a step below which most of it is overhead of the training library. */
    private static final double SHORT_STEP_SECONDS = 0.005;

    private static final int LARGE_BATCH = 256;

    private TrainerRules() {}

    /** Proposes less frequent evaluation when it uses much of the trainer's time; at least one is left. */
    static List<Advice> evaluation(Situation situation) {
        Optional<EvaluateConfig> evaluate = situation.config().evaluate();
        OptionalDouble share = share(situation, EVALUATE);
        if (evaluate.isEmpty() || share.isEmpty() || share.getAsDouble() < MUCH) {
            return List.of();
        }
        int every = evaluate.get().every();
        int epochs = situation.config().data().epochs();
        int then = (int) Math.min(epochs, Math.ceil(every * factor(share.getAsDouble())));
        return then <= every
                ? List.of()
                : List.of(Advice.set(
                        reason("evaluation", share.getAsDouble()),
                        List.of("evaluate.every=" + then),
                        model -> model.scaled(EVALUATE, (double) every / then)));
    }

    /** Proposes less frequent checkpoints when they stop training for much of the time. */
    static List<Advice> checkpoints(Situation situation) {
        Optional<CheckpointConfig> checkpoint = situation.config().recovery().checkpoint();
        OptionalDouble share = share(situation, CHECKPOINT);
        if (checkpoint.isEmpty() || share.isEmpty() || share.getAsDouble() < MUCH) {
            return List.of();
        }
        double factor = factor(share.getAsDouble());
        long millis = (long) Math.ceil(checkpoint.get().interval().toMillis() * factor);
        return List.of(Advice.set(
                reason("copying the model for checkpoints", share.getAsDouble()),
                List.of("checkpoint.interval=" + new TimeSpan(Duration.ofMillis(millis))),
                model -> model.scaled(CHECKPOINT, 1 / factor)));
    }

    private static String reason(String work, double share) {
        return String.format(Locale.ROOT, "%s uses %.0f %% of the trainer's time", work, 100 * share);
    }

    /** Returns the factor by which the work must become less frequent so that it uses only a small share of the time. */
    private static double factor(double share) {
        return Math.ceil(share / (1 - share) * (1 - LITTLE) / LITTLE);
    }

    private static OptionalDouble share(Situation situation, String stage) {
        Task trainer = situation.model().trainer();
        double all = 0;
        double part = 0;
        for (StageCost cost : trainer.stages()) {
            Double own = cost.ownSeconds();
            if (own == null) {
                return OptionalDouble.empty();
            }
            all += own;
            part += cost.name().equals(stage) ? own : 0;
        }
        return all > 0 ? OptionalDouble.of(part / all) : OptionalDouble.empty();
    }

    /** Proposes larger batches when steps are so short that most of their time is overhead per step. */
    static List<Advice> batchSize(Situation situation) {
        int batch = situation.config().batch().size();
        boolean limits = situation.limitedBy(Limit.Kind.TRAINING) || situation.limitedBy(Limit.Kind.TRAINER);
        double step = situation.model().trainer().stages().stream()
                .filter(cost -> cost.name().equals(CapacityModel.STEP) && cost.ownSeconds() != null)
                .mapToDouble(cost -> cost.ownSeconds() * batch)
                .findFirst()
                .orElse(Double.NaN);
        if (!limits || batch >= LARGE_BATCH || !(step < SHORT_STEP_SECONDS)) {
            return List.of();
        }
        return List.of(Advice.set(
                String.format(
                        Locale.ROOT,
                        "a step takes %.1f ms, and much of that is overhead that does not depend on the size of the batch;"
                                + " the learning rate may have to grow with the batch",
                        1e3 * step),
                List.of("batch.size=" + Math.min(LARGE_BATCH, 4 * batch)),
                null));
    }

    /** Proposes fewer threads for training when it uses cores that the data stages need. */
    static List<Advice> trainThreads(Situation situation) {
        int threads = situation.setting().trainThreads();
        if (!situation.limitedBy(Limit.Kind.CORES) || threads < 2) {
            return List.of();
        }
        return List.of(Advice.set(
                String.format(
                        Locale.ROOT,
                        "the cores are used up, and training computes with %d threads: fewer threads waste less time; the last"
                                + " bits of results differ, because sums are added in another order",
                        threads),
                List.of("train.threads=" + threads / 2),
                null));
    }
}
