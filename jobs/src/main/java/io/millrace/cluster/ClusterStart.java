package io.millrace.cluster;

/**
 * How a cluster is to be started.
 *
 * @param settings Flink's options for all its processes
 * @param taskManagers how many, at least 0
 * @param loss what happens when the JobManager dies
 * @param jobManager what it gets beside
 * @param taskManager what each gets beside
 */
public record ClusterStart(
        ClusterSettings settings,
        int taskManagers,
        JobManagerLoss loss,
        ProcessOptions jobManager,
        ProcessOptions taskManager) {

    /** What happens when the JobManager dies. */
    public enum JobManagerLoss {
        /** Its jobs are lost, though their checkpoints are not. */
        ENDS_JOBS,

        /** A keeper starts another one, which takes the jobs up from their checkpoints. */
        SURVIVED
    }

    public ClusterStart {
        if (taskManagers < 0) {
            throw new IllegalArgumentException("taskManagers is " + taskManagers);
        }
    }

    /** A cluster without anything special. */
    public static ClusterStart of(ClusterSettings settings, int taskManagers) {
        return new ClusterStart(
                settings, taskManagers, JobManagerLoss.ENDS_JOBS, ProcessOptions.NONE, ProcessOptions.NONE);
    }

    /** The same, but whose JobManager may die. */
    public ClusterStart surviving() {
        return new ClusterStart(settings, taskManagers, JobManagerLoss.SURVIVED, jobManager, taskManager);
    }
}
