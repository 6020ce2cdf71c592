package io.millrace.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A group of threads that each run the same stages in turn, as the subtasks of a Flink chain do. The times of the stages
 * add up.
 *
 * @param name the name of the task's first stage; the task's name in Flink's web UI begins with it
 * @param slots the number of threads, at least 1
 * @param speed the speed of all threads together, as a number of threads of usual speed, above 0; below {@code slots}
 *     when some are slow
 * @param stages the costs of the stages, in the order in which a sample passes them
 */
public record Task(String name, int slots, double speed, List<StageCost> stages) {
    public Task {
        if (slots < 1) {
            throw new IllegalArgumentException(name + ": slots: expected at least 1, found " + slots);
        }
        if (!(speed > 0) || !Double.isFinite(speed)) {
            throw new IllegalArgumentException(name + ": speed: expected more than 0, found " + speed);
        }
        stages = List.copyOf(stages);
    }

    /** Creates a task whose threads all have the usual speed. */
    public Task(String name, int slots, List<StageCost> stages) {
        this(name, slots, slots, stages);
    }

    /** Returns whether every stage's own time is known. */
    boolean known() {
        return stages.stream().noneMatch(stage -> stage.ownSeconds() == null);
    }

    /**
     * Returns the time that a thread works on one sample in all stages, in seconds.
     *
     * @throws IllegalStateException when the time of a stage is unknown
     */
    double ownSecondsPerSample() {
        return stages.stream()
                .mapToDouble(stage -> Optional.ofNullable(stage.ownSecondsPerSample())
                        .orElseThrow(() -> new IllegalStateException(stage.name() + " is unknown")))
                .sum();
    }

    /**
     * Returns the share of the threads' time that a throughput needs, at least 0; above 1 when the threads cannot reach it.
     *
     * @throws IllegalStateException when the time of a stage is unknown
     */
    double share(double samplesPerSecond) {
        return ownSecondsPerSample() * samplesPerSecond / slots;
    }

    /** Returns the throughput of the threads when they never wait; infinite for a task without cost. */
    double samplesPerSecond() {
        return speed / ownSecondsPerSample();
    }

    /**
     * Returns the throughput of the threads when each has one whole core, for the computing alone; infinite for a task that
     * does not compute. A task that uses more cores than it has threads has threads that are not counted here.
     */
    double mostPerCore() {
        double cpu = stages.stream()
                .map(StageCost::cpuSecondsPerSample)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .sum();
        return known() ? slots / Math.min(cpu, ownSecondsPerSample()) : Double.POSITIVE_INFINITY;
    }

    /** Returns the stage that uses most of the threads' time; empty when no stage's time is known. */
    Optional<StageCost> costliest() {
        return stages.stream().filter(stage -> stage.ownSeconds() != null).max(Comparator.comparingDouble(stage -> {
            Double seconds = stage.ownSecondsPerSample();
            return seconds == null ? 0 : seconds;
        }));
    }

    /** Returns the same threads with the work of further stages. */
    Task with(List<StageCost> more) {
        List<StageCost> all = new ArrayList<>(stages);
        all.addAll(more);
        return new Task(name, slots, speed, all);
    }

    boolean has(String stage) {
        return stages.stream().anyMatch(cost -> cost.name().equals(stage));
    }

    Task without(String stage) {
        return new Task(
                name,
                slots,
                speed,
                stages.stream().filter(cost -> !cost.name().equals(stage)).toList());
    }

    Task with(String stage, UnaryOperator<StageCost> change) {
        return new Task(
                name,
                slots,
                speed,
                stages.stream()
                        .map(cost -> cost.name().equals(stage) ? change.apply(cost) : cost)
                        .toList());
    }

    Task with(UnaryOperator<StageCost> change) {
        return new Task(name, slots, speed, stages.stream().map(change).toList());
    }

    /** Returns the task with another number of threads, each as fast as the present ones are on average. */
    Task withSlots(int count) {
        return new Task(name, count, speed / slots * count, stages);
    }

    /** Returns the task with all threads at the usual speed. */
    Task evened() {
        return new Task(name, slots, stages);
    }
}
