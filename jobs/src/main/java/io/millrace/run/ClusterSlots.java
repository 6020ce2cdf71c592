package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacementConfig;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.TaskManagerReading;
import java.io.IOException;
import java.util.List;

/**
 * The number of slots of a cluster that the data stages of a job can use.
 *
 * @param number the slots that are free now; unlimited on a cluster with the adaptive scheduler, whose jobs start with the
 *     available slots and use further slots when they appear
 */
record ClusterSlots(int number) {
    static final ClusterSlots UNLIMITED = new ClusterSlots(Integer.MAX_VALUE);

    /** Returns the slots that this pipeline can use on a cluster now. */
    static ClusterSlots read(ClusterRest rest, PipelineConfig config) throws IOException, InterruptedException {
        ClusterSlots free = free(rest, config);
        return free.number > 0 && rest.adaptive() ? UNLIMITED : free;
    }

    /** Returns the slots that are free now and that this pipeline can use. */
    static ClusterSlots free(ClusterRest rest, PipelineConfig config) throws IOException, InterruptedException {
        List<TaskManagerReading> managers = rest.taskManagers();
        int free = managers.stream().mapToInt(TaskManagerReading::free).sum();
        if (config.slots().placement().isEmpty()) {
            return new ClusterSlots(free);
        }
        PlacementConfig placement = config.slots().placement().get();
        double devices = managers.stream()
                .mapToDouble(manager -> manager.freeDevices().getOrDefault(placement.data(), 0.0))
                .sum();
        return new ClusterSlots((int) Math.min(free, devices));
    }
}
