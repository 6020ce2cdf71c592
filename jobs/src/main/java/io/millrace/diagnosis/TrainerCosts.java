package io.millrace.diagnosis;

import io.millrace.rest.TrainerReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the trainers' threads did between two readings. Pure.
 *
 * @param samples trained on, by all ranks
 */
record TrainerCosts(TrainerReading before, TrainerReading after, double samples, Setting setting) {
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final String EVALUATE = "evaluate";
    private static final String CHECKPOINT = "checkpoint";

    /** What the trainers' threads do now and then, instead of training. */
    static final Set<String> PAUSES = Set.of(EVALUATE, CHECKPOINT);

    /** Of the whole of it, what the trainer's threads do for training and beside. */
    Task trainer() {
        Double transfer = difference(TrainerReading::transferMillis);
        Double step = difference(TrainerReading::stepMillis);
        Double evaluation = difference(TrainerReading::evaluationMillis);
        Double checkpoint = difference(TrainerReading::checkpointCopyMillis);
        double all = zero(transfer) + zero(step) + zero(evaluation) + zero(checkpoint);
        Double cpu = difference(TrainerReading::cpuMillis);
        Double waited = difference(TrainerReading::coreWaitMillis);
        double working = all * setting.ranks();
        // What computes does so all the time; what of the processor's time, and of waiting for it, is left over has
        // gone into
        // the transfer.
        double moving = zero(transfer) * setting.ranks();
        double computing = working - moving;
        double used = cpu == null ? Double.NaN : cpu;
        double computed = Math.min(used, computing);
        double cpuShare = working <= 0 ? Double.NaN : computing <= 0 ? 0 : computed / computing;
        double movingShare = working <= 0 ? Double.NaN : moving <= 0 ? 0 : Math.min(1, (used - computed) / moving);
        double kept = kept(zero(waited), computing);
        double movingKept = kept(zero(waited) - computing, moving);
        List<StageCost> stages = new ArrayList<>();
        stages.add(stage("transfer", transfer, movingKept, movingShare, 1));
        stages.add(stage(CapacityModel.STEP, step, kept, cpuShare, setting.trainThreads()));
        stages.add(stage(EVALUATE, evaluation, kept, cpuShare, setting.trainThreads()));
        stages.add(stage(CHECKPOINT, checkpoint, kept, cpuShare, 1));
        return new Task(CapacityModel.STEP, setting.ranks(), stages);
    }

    /** Of so much time the share that was not spent waiting for a core, 0 to 1. */
    private static double kept(double waited, double time) {
        return time <= 0 ? 1 : 1 - Math.max(0, Math.min(waited, time)) / time;
    }

    /** Putting rows at their place: it moves memory, and computes all the time. */
    Task assembly() {
        Double millis = difference(TrainerReading::assembleMillis);
        Double seconds = millis == null ? null : Double.valueOf(Math.max(0, millis) / MILLIS_PER_SECOND / samples);
        return new Task(
                CapacityModel.ASSEMBLE,
                setting.ranks(),
                List.of(new StageCost(CapacityModel.ASSEMBLE, 1, seconds, seconds)));
    }

    /**
     * A stage of the trainer's thread.
     *
     * @param millis the mean of the trainers
     * @param threads that compute in it
     */
    private StageCost stage(String name, @Nullable Double millis, double kept, double cpuShare, int threads) {
        if (millis == null) {
            return new StageCost(name, 1, null, null);
        }
        double seconds = Math.max(0, millis) * setting.ranks() / MILLIS_PER_SECOND / samples;
        double cpu = seconds * cpuShare;
        double own = Double.isNaN(cpu) ? seconds * kept : Math.max(seconds * kept, cpu);
        return new StageCost(name, 1, own, Double.isNaN(cpu) ? null : Double.valueOf(cpu * threads));
    }

    /** Of the trainers' time the share in which they waited for a whole batch, 0 to 1; null when unknown. */
    @Nullable
    Double starvation(double seconds) {
        Double starved = difference(TrainerReading::starvedMillis);
        return starved == null ? null : Double.valueOf(Math.max(0, Math.min(1, starved / MILLIS_PER_SECOND / seconds)));
    }

    private @Nullable Double difference(Function<TrainerReading, @Nullable Double> figure) {
        Double now = figure.apply(after);
        Double then = figure.apply(before);
        return now == null || then == null || then > now ? now : Double.valueOf(now - then);
    }

    private static double zero(@Nullable Double value) {
        return value == null ? 0 : value;
    }
}
