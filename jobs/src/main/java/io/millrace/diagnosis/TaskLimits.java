package io.millrace.diagnosis;

import java.util.Optional;

/** The limits that the threads of a task set, with the cause of each. Pure. */
final class TaskLimits {
    /** The share of the usual speed below which slow threads are named as the cause. */
    static final double SLOW = 0.85;

    /** The name of the stage that reads. Its threads may wait for storage. */
    static final String READ = "read";

    /**
     * The name of the trainer's stage that evaluates. The names of the stages that prepare evaluation batches begin with it.
     */
    static final String EVALUATION = "evaluate";

    /** The name of the task of the clients' training loops, and of the limit that they set. */
    static final String CLIENTS = "your training loop";

    private static final String TRANSFER = "transfer";

    private TaskLimits() {}

    static boolean evaluates(StageCost stage) {
        return stage.name().startsWith(EVALUATION);
    }

    /**
     * Returns the limit of a task on the data servers, or of the task that assembles batches; empty when a cost is unknown
     * or the task costs nothing.
     */
    static Optional<Limit> ofData(Task task) {
        return costly(task).map(stage -> {
            double rate = task.samplesPerSecond();
            if (evaluationSeconds(task) > task.ownSecondsPerSample() / 2) {
                return new Limit(Limit.Kind.EVALUATION, evaluation(task, stage), rate);
            }
            Limit.Kind kind = Limit.Kind.SLOTS;
            if (task.speed() < task.slots() * SLOW) {
                kind = Limit.Kind.STRAGGLER;
            } else if (stage.uneven()) {
                kind = Limit.Kind.SAMPLES;
            } else if (stage.name().equals(READ) && stage.waits()) {
                kind = Limit.Kind.STORAGE;
            }
            return new Limit(kind, stage.name(), rate);
        });
    }

    /** Returns the limit of the trainers' threads; empty when a cost is unknown or the task costs nothing. */
    static Optional<Limit> ofTrainer(Task trainer) {
        return costly(trainer).map(stage -> {
            Limit.Kind kind = Limit.Kind.TRAINER;
            String culprit = stage.name();
            if (stage.name().equals(CapacityModel.STEP)) {
                kind = Limit.Kind.TRAINING;
                culprit = trainer.name().equals(CLIENTS) ? CLIENTS : culprit;
            } else if (evaluates(stage)) {
                kind = Limit.Kind.EVALUATION;
            } else if (stage.name().equals(TRANSFER) && stage.waits()) {
                kind = Limit.Kind.LINK;
            }
            return new Limit(kind, culprit, trainer.samplesPerSecond());
        });
    }

    private static Optional<StageCost> costly(Task task) {
        return task.known() && task.ownSecondsPerSample() > 0 ? task.costliest() : Optional.empty();
    }

    /** Returns the culprit of an evaluation: the stage that takes most of the task's time, or all stages together. */
    private static String evaluation(Task task, StageCost costliest) {
        Double seconds = costliest.ownSecondsPerSample();
        boolean alone = evaluates(costliest) && seconds != null && seconds > task.ownSecondsPerSample() / 2;
        return alone ? costliest.name() : EVALUATION;
    }

    private static double evaluationSeconds(Task task) {
        return task.stages().stream()
                .filter(TaskLimits::evaluates)
                .mapToDouble(stage -> {
                    Double seconds = stage.ownSecondsPerSample();
                    return seconds == null ? 0 : seconds;
                })
                .sum();
    }
}
