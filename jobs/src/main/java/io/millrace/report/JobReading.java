package io.millrace.report;

import java.util.List;

/**
 * A job at one moment, as Flink tells it.
 *
 * @param state Flink's word: CREATED, RUNNING, RESTARTING, FINISHED, FAILED, CANCELED ...
 * @param stages in the order asked for
 */
public record JobReading(String state, List<StageReading> stages, TrainerReading trainer) {
    public JobReading {
        stages = List.copyOf(stages);
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
        return new JobReading(state, merged, trainer.orElse(earlier.trainer));
    }
}
