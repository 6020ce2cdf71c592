package io.millrace.rest;

import java.util.List;

/**
 * A job at one moment, as Flink tells it.
 *
 * @param state Flink's word: CREATED, RUNNING, RESTARTING, FINISHED, FAILED, CANCELED ...
 * @param stages in the order asked for
 * @param tasks of the graph, in its order
 * @param machines of the cluster
 */
public record JobReading(
        String state,
        List<StageReading> stages,
        TrainerReading trainer,
        List<TaskReading> tasks,
        MachinesReading machines) {
    public JobReading {
        stages = List.copyOf(stages);
        tasks = List.copyOf(tasks);
    }

    /** A job of which no more is known than its stages. */
    public static JobReading unknown(String state, List<String> stages) {
        return new JobReading(
                state,
                stages.stream().map(StageReading::unknown).toList(),
                TrainerReading.UNKNOWN,
                List.of(),
                MachinesReading.UNKNOWN);
    }

    /** This reading, with an earlier one's values where this has none. Both are of the same stages. */
    public JobReading orElse(JobReading earlier) {
        List<StageReading> merged = stages.stream()
                .map(stage -> earlier.stages.stream()
                        .filter(other -> other.name().equals(stage.name()))
                        .findFirst()
                        .map(stage::orElse)
                        .orElse(stage))
                .toList();
        List<TaskReading> mergedTasks = tasks.stream()
                .map(task -> earlier.tasks.stream()
                        .filter(other -> other.name().equals(task.name()))
                        .findFirst()
                        .map(task::orElse)
                        .orElse(task))
                .toList();
        return new JobReading(
                state, merged, trainer.orElse(earlier.trainer), mergedTasks, machines.orElse(earlier.machines));
    }
}
