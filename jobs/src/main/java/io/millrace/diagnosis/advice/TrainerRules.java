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

/** What the trainer does beside its steps, and how large these are. */
final class TrainerRules {
    private static final String EVALUATE = "evaluate";
    private static final String CHECKPOINT = "checkpoint";

    /** Of the trainer's time, what is worth a word. */
    private static final double MUCH = 0.1;

    /** Of the trainer's time, what is left to it then. */
    private static final double LITTLE = 0.05;

    /** A step this short is mostly the engine's own work. */
    private static final double SHORT_STEP_SECONDS = 0.005;

    private static final int LARGE_BATCH = 256;

    private TrainerRules() {}

    /** Evaluation that takes the trainer's time. */
    static List<Advice> evaluation(Situation situation) {
        Optional<EvaluateConfig> evaluate = situation.config().evaluate();
        OptionalDouble share = share(situation, EVALUATE);
        if (evaluate.isEmpty() || share.isEmpty() || share.getAsDouble() < MUCH) {
            return List.of();
        }
        int every = evaluate.get().every();
        int then = (int) Math.ceil(every * factor(share.getAsDouble()));
        return List.of(Advice.set(
                told("evaluation", share.getAsDouble()),
                List.of("evaluate.every=" + then),
                model -> model.scaled(EVALUATE, (double) every / then)));
    }

    /** Checkpoints in which no step is made. */
    static List<Advice> checkpoints(Situation situation) {
        Optional<CheckpointConfig> checkpoint = situation.config().recovery().checkpoint();
        OptionalDouble share = share(situation, CHECKPOINT);
        if (checkpoint.isEmpty() || share.isEmpty() || share.getAsDouble() < MUCH) {
            return List.of();
        }
        double factor = factor(share.getAsDouble());
        long millis = (long) Math.ceil(checkpoint.get().interval().toMillis() * factor);
        return List.of(Advice.set(
                told("copying the model for checkpoints", share.getAsDouble()),
                List.of("checkpoint.interval=" + new TimeSpan(Duration.ofMillis(millis))),
                model -> model.scaled(CHECKPOINT, 1 / factor)));
    }

    private static String told(String what, double share) {
        return String.format(Locale.ROOT, "%s takes %.0f %% of the trainer's time", what, 100 * share);
    }

    /** How many times rarer, so that of the time that is left a little share goes there. */
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

    /** Short steps are mostly the engine's own work, which is done once a step. */
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
                        "a step takes %.1f ms, much of which is done once a step whatever its size; the learning rate may have"
                                + " to grow with the batch",
                        1e3 * step),
                List.of("batch.size=" + Math.min(LARGE_BATCH, 4 * batch)),
                null));
    }

    /** Threads of training that take cores from the data stages. */
    static List<Advice> trainThreads(Situation situation) {
        int threads = situation.setting().trainThreads();
        if (!situation.limitedBy(Limit.Kind.CORES) || threads < 2) {
            return List.of();
        }
        return List.of(Advice.set(
                String.format(
                        Locale.ROOT,
                        "the cores are used up, and training computes on %d of them: fewer waste less; sums are taken in another"
                                + " order, so that the last bits differ",
                        threads),
                List.of("train.threads=" + threads / 2),
                null));
    }
}
