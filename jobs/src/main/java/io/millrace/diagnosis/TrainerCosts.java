package io.millrace.diagnosis;

import io.millrace.rest.TrainerReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The work of the trainers' threads between two readings. Pure. Tested by {@code MeasurementTest}.
 *
 * @param samples the number of samples that all ranks trained on between the readings, above 0
 */
record TrainerCosts(TrainerReading before, TrainerReading after, double samples, Setting setting) {
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final String TRANSFER = "transfer";

    /** The share of the device's time from which on the wait for copies is a limit of its own. */
    private static final double LEAST_COPY_WAIT = 0.05;

    /** The longest refills, as a multiple of the time in which the busiest task of the data was idle. */
    private static final double MOST_REFILL = 2;

    private static final String EVALUATE = "evaluate";
    private static final String CHECKPOINT = "checkpoint";

    /** The names of the stages for which the trainers' threads pause training from time to time. */
    static final Set<String> PAUSES = Set.of(EVALUATE, CHECKPOINT);

    /**
     * Returns the task of the trainers' threads: training, and all other work that they do.
     *
     * @param data the tasks of the data
     * @param seconds the time between the readings
     */
    Task trainer(List<Task> data, double seconds) {
        Double transfer = difference(TrainerReading::transferMillis);
        Double step = difference(TrainerReading::stepMillis);
        Double evaluation = difference(TrainerReading::evaluationMillis);
        Double checkpoint = difference(TrainerReading::checkpointCopyMillis);
        double all = zero(transfer) + zero(step) + zero(evaluation) + zero(checkpoint);
        Double cpu = difference(TrainerReading::cpuMillis);
        Double waited = difference(TrainerReading::coreWaitMillis);
        double working = all * setting.ranks();
        // All stages except the transfer compute all the time. CPU time and waiting for a core that are not theirs
        // belong to the transfer.
        double moving = zero(transfer) * setting.ranks();
        double computing = working - moving;
        double used = cpu == null ? Double.NaN : cpu;
        double computed = Math.min(used, computing);
        double cpuShare = part(computed, computing);
        double movingShare = part(used - computed, moving);
        double kept = kept(zero(waited), computing);
        double movingKept = kept(zero(waited) - computing, moving);
        List<StageCost> stages = new ArrayList<>();
        stages.add(stage(TRANSFER, transfer, movingKept, movingShare, 1));
        stages.add(stage(CapacityModel.STEP, step, kept, cpuShare, setting.trainThreads()));
        stages.add(stage(EVALUATE, evaluation, kept, cpuShare, setting.trainThreads()));
        Double pause = checkpoint == null ? null : Double.valueOf(checkpoint + refillMillis(data, seconds));
        stages.add(stage(CHECKPOINT, pause, kept, cpuShare, 1));
        Task trainer = new Task(
                setting.loop() == Setting.Loop.CLIENTS ? TaskLimits.CLIENTS : CapacityModel.STEP,
                setting.ranks(),
                stages);
        return link().isPresent() ? trainer.without(TRANSFER) : trainer;
    }

    /** Returns the part of a time in which a thread computed, 0 to 1; 0 of no time, and not a number when it is unknown. */
    private static double part(double computed, double time) {
        return time <= 0 ? 0 : Math.min(1, computed / time);
    }

    /**
     * Returns the time of refills after checkpoints, at most twice the time in which the busiest task of the data was idle. A
     * trainer that waits after a checkpoint for data that are always late loses nothing by the checkpoint. Twice, because a task also
     * works during a part of each refill.
     */
    private double refillMillis(List<Task> data, double seconds) {
        double busy = data.stream()
                .filter(Task::known)
                .mapToDouble(task -> task.share(samples / seconds))
                .max()
                .orElse(0);
        double most = MOST_REFILL * Math.max(0, 1 - busy) * seconds * MILLIS_PER_SECOND;
        return Math.min(zero(difference(TrainerReading::checkpointRefillMillis)), most);
    }

    /** Returns the share of a time in which a thread did not wait for a core, 0 to 1. */
    private static double kept(double waited, double time) {
        return time <= 0 ? 1 : 1 - Math.max(0, Math.min(waited, time)) / time;
    }

    /** Returns the task that copies rows into batches. It moves memory, and computes all the time. */
    Task assembly() {
        Double millis = difference(TrainerReading::assembleMillis);
        Double seconds = millis == null ? null : Double.valueOf(Math.max(0, millis) / MILLIS_PER_SECOND / samples);
        return new Task(
                CapacityModel.ASSEMBLE,
                setting.ranks(),
                List.of(new StageCost(CapacityModel.ASSEMBLE, 1, seconds, seconds)));
    }

    /**
     * Returns the cost of a stage of the trainer's thread.
     *
     * @param millis the stage's time in milliseconds, the mean of the trainers; null when unknown
     * @param kept the share of the time in which the thread did not wait for a core, 0 to 1
     * @param cpuShare the share of the time in which the thread computed, 0 to 1; not a number when unknown
     * @param threads the number of threads that compute in the stage, at least 1
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

    /**
     * Returns the limit of the link to a device that works asynchronously: the throughput if the device waited for
     * nothing but copies. Empty when it hardly waits for copies. The link works beside the device, so its time is no
     * part of the trainer's work. On the host, the trainer's thread itself moves the batches: the time of the transfer
     * is far longer than the wait for copies, and remains a part of the trainer's work.
     */
    Optional<Limit> link() {
        double waited = zero(difference(TrainerReading::copyWaitMillis));
        double busy = zero(difference(TrainerReading::stepMillis)) + waited;
        boolean byThread = waited < zero(difference(TrainerReading::transferMillis)) / 2;
        return byThread || waited <= LEAST_COPY_WAIT * busy
                ? Optional.empty()
                : Optional.of(new Limit(Limit.Kind.LINK, TRANSFER, samples * MILLIS_PER_SECOND / busy));
    }

    /**
     * Returns the share of the time of training in which the trainers waited for data, 0 to 1; null when unknown.
     *
     * @param seconds the time of training, without evaluations and checkpoints
     */
    @Nullable
    Double starvation(double seconds) {
        return share(difference(TrainerReading::starvedMillis), seconds);
    }

    /** Returns the part of the starvation in which the rows of a batch were missing, and not only their copies. */
    @Nullable
    Double rowStarvation(double seconds) {
        Double starved = difference(TrainerReading::starvedMillis);
        return starved == null ? null : share(starved - zero(difference(TrainerReading::copyWaitMillis)), seconds);
    }

    /** Returns the share of the time in which Flink stored checkpoints, 0 to 1; null when unknown. */
    @Nullable
    Double storing(double seconds) {
        return share(difference(TrainerReading::checkpointWriteMillis), seconds);
    }

    private static @Nullable Double share(@Nullable Double millis, double seconds) {
        return millis == null || !(seconds > 0)
                ? null
                : Double.valueOf(Math.max(0, Math.min(1, millis / MILLIS_PER_SECOND / seconds)));
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
