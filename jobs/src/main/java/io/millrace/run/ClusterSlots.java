package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacementConfig;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.TaskManagerReading;
import java.io.IOException;
import java.util.List;

/**
 * How many slots of a cluster the data stages of a job can have.
 *
 * @param number those that are free now; where jobs take the slots that there are, and more as they come, as many as you like
 */
record ClusterSlots(int number) {
    static final ClusterSlots ENDLESS = new ClusterSlots(Integer.MAX_VALUE);

    /** Of a cluster as it is now, for this pipeline. */
    static ClusterSlots read(ClusterRest rest, PipelineConfig config) throws IOException, InterruptedException {
        List<TaskManagerReading> managers = rest.taskManagers();
        int free = managers.stream().mapToInt(TaskManagerReading::free).sum();
        if (free > 0 && rest.adaptive()) {
            return ENDLESS;
        }
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
