package io.millrace.cluster;

/**
 * A description of a cluster that is to be started.
 *
 * @param settings Flink's options for all processes
 * @param taskManagers the number of TaskManagers, at least 0
 * @param loss the consequence of the JobManager's death
 * @param jobManager further options of the JobManager
 * @param taskManager further options of each TaskManager
 */
public record ClusterStart(
        ClusterSettings settings,
        int taskManagers,
        JobManagerLoss loss,
        ProcessOptions jobManager,
        ProcessOptions taskManager) {

    /** The consequence of the JobManager's death. */
    public enum JobManagerLoss {
        /** Its jobs end; their checkpoints remain. */
        ENDS_JOBS,

        /** A keeper starts another JobManager, which continues the jobs from their checkpoints. */
        SURVIVED
    }

    public ClusterStart {
        if (taskManagers < 0) {
            throw new IllegalArgumentException("taskManagers is " + taskManagers);
        }
    }

    /** Returns a cluster without further options, whose jobs end with the JobManager. */
    public static ClusterStart of(ClusterSettings settings, int taskManagers) {
        return new ClusterStart(
                settings, taskManagers, JobManagerLoss.ENDS_JOBS, ProcessOptions.NONE, ProcessOptions.NONE);
    }

    /** Returns the same cluster, but with a keeper, so that jobs survive the JobManager's death. */
    public ClusterStart surviving() {
        return new ClusterStart(settings, taskManagers, JobManagerLoss.SURVIVED, jobManager, taskManager);
    }
}
