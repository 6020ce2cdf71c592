package io.millrace.diagnosis;

import io.millrace.rest.TaskReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The contradictions between the busy times that Flink measures and the own times of the stages. Pure.
 *
 * <p>Tested by {@code MeasurementTest}.
 */
final class Contradictions {
    private static final double MILLIS_PER_SECOND = 1e3;

    /**
     * The largest allowed difference between Flink's busy time and that of the stages, as a share of time. A larger
     * difference is a contradiction.
     */
    private static final double MOST_DIFFERENCE = 0.3;

    private Contradictions() {}

    /** Returns a sentence for each task whose busy time differs. */
    static List<String> of(List<TaskReading> tasks, CapacityModel model, double rate) {
        List<String> sentences = new ArrayList<>();
        for (TaskReading task : tasks) {
            Double busy = task.busyMillisPerSecond();
            // Flink does not count the reading threads of sources (FLINK-33306), and training has a thread of its own.
            if (busy == null
                    || task.stages().contains(TaskLimits.READ)
                    || task.stages().contains(CapacityModel.STEP)) {
                continue;
            }
            model.tasks().stream()
                    .filter(ours -> task.stages().contains(ours.name()) && ours.known())
                    .findFirst()
                    .ifPresent(ours -> {
                        double share = ours.share(rate);
                        if (Math.abs(share - busy / MILLIS_PER_SECOND) > MOST_DIFFERENCE) {
                            sentences.add(String.format(
                                    Locale.ROOT,
                                    "task '%s': Flink reports %.0f %% busy time, its stages account for %.0f %%",
                                    task.name(),
                                    busy / 10,
                                    100 * share));
                        }
                    });
        }
        return sentences;
    }
}
