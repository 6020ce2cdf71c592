package io.millrace.diagnosis;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Threads that each do some stages in turn, as the subtasks of a chain do: their times add up.
 *
 * @param name of its first stage, which is what the web UI calls it
 * @param slots threads
 * @param speed of all of them together, in threads of usual speed; below {@code slots} where some are slow
 * @param stages in the order of the data's way
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

    /** A task all of whose threads are alike. */
    public Task(String name, int slots, List<StageCost> stages) {
        this(name, slots, slots, stages);
    }

    /** Whether every stage's own time is known. */
    boolean known() {
        return stages.stream().noneMatch(stage -> stage.ownSeconds() == null);
    }

    /** A thread's time for one sample, over all stages; to be asked only where it is known. */
    double ownSecondsPerSample() {
        return stages.stream()
                .mapToDouble(stage -> Optional.ofNullable(stage.ownSecondsPerSample())
                        .orElseThrow(() -> new IllegalStateException(stage.name() + " is unknown")))
                .sum();
    }

    /** Of the threads' time, what they work at such a rate; to be asked only where the times are known. */
    double share(double samplesPerSecond) {
        return ownSecondsPerSample() * samplesPerSecond / slots;
    }

    /** What the threads could do, were they never to wait; infinite for a task without cost. */
    double samplesPerSecond() {
        return speed / ownSecondsPerSample();
    }

    /** The stage that takes most of the threads' time. */
    Optional<StageCost> costliest() {
        return stages.stream().filter(stage -> stage.ownSeconds() != null).max(Comparator.comparingDouble(stage -> {
            Double seconds = stage.ownSecondsPerSample();
            return seconds == null ? 0 : seconds;
        }));
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

    /** The same work by another number of threads, each as fast as these are on average. */
    Task withSlots(int wanted) {
        return new Task(name, wanted, speed / slots * wanted, stages);
    }

    /** All threads of usual speed. */
    Task evened() {
        return new Task(name, slots, stages);
    }
}
