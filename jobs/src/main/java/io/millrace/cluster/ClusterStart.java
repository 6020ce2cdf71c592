package io.millrace.cluster;

/**
 * A description of a cluster that is to be started.
 *
 * @param settings Flink's options for all processes
 * @param taskManagers the number of TaskManagers, at least 0
 * @param taskManager further options of each TaskManager
 */
public record ClusterStart(ClusterSettings settings, int taskManagers, ProcessOptions taskManager) {
    public ClusterStart {
        if (taskManagers < 0) {
            throw new IllegalArgumentException("taskManagers is " + taskManagers);
        }
    }

    /** Returns a cluster whose TaskManagers have no further options. */
    public static ClusterStart of(ClusterSettings settings, int taskManagers) {
        return new ClusterStart(settings, taskManagers, ProcessOptions.NONE);
    }
}
