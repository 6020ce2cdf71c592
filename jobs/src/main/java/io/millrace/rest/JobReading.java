package io.millrace.rest;

import java.util.List;

/**
 * The state and the figures of a job at one moment, as Flink reports them.
 *
 * @param state Flink's name of the state: CREATED, RUNNING, RESTARTING, FINISHED, FAILED, CANCELED ...
 * @param stages the stages, in the order of the request
 * @param trainer the trainers
 * @param tasks the tasks, in the order of the graph
 * @param machines the machines of the cluster
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

    /** Returns a reading in which only the state and the names of the stages are known. */
    public static JobReading unknown(String state, List<String> stages) {
        return new JobReading(
                state,
                stages.stream().map(StageReading::unknown).toList(),
                TrainerReading.UNKNOWN,
                List.of(),
                MachinesReading.UNKNOWN);
    }

    /**
     * Returns this reading, with the values of an earlier reading for those that are unknown. Both must have the same
     * stages.
     */
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
