package io.millrace.diagnosis;

import java.util.Optional;

/** What keeps a task's threads from more, and who is to blame. Pure. */
final class TaskLimits {
    /** Threads of a task that together are this much slower than they should be are named as the cause. */
    static final double SLOW = 0.85;

    /** The stage that reads; its threads may wait for storage. */
    static final String READ = "read";

    /** The trainer's stage that evaluates, and how the names of the stages begin that prepare for it. */
    static final String EVALUATION = "evaluate";

    private static final String TRANSFER = "transfer";

    private TaskLimits() {}

    static boolean evaluates(StageCost stage) {
        return stage.name().startsWith(EVALUATION);
    }

    /** Of a task on the data servers, or the one that assembles; empty when unknown, or when it costs nothing. */
    static Optional<Limit> ofData(Task task) {
        return costly(task).map(stage -> {
            double rate = task.samplesPerSecond();
            if (evaluationSeconds(task) > task.ownSecondsPerSample() / 2) {
                return new Limit(Limit.Kind.EVALUATION, EVALUATION, rate);
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

    /** Of the trainers' threads. */
    static Optional<Limit> ofTrainer(Task trainer) {
        return costly(trainer).map(stage -> {
            Limit.Kind kind = Limit.Kind.TRAINER;
            if (stage.name().equals(CapacityModel.STEP)) {
                kind = Limit.Kind.TRAINING;
            } else if (evaluates(stage)) {
                kind = Limit.Kind.EVALUATION;
            } else if (stage.name().equals(TRANSFER) && stage.waits()) {
                kind = Limit.Kind.LINK;
            }
            return new Limit(kind, stage.name(), trainer.samplesPerSecond());
        });
    }

    private static Optional<StageCost> costly(Task task) {
        return task.known() && task.ownSecondsPerSample() > 0 ? task.costliest() : Optional.empty();
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
