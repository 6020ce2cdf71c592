package io.millrace.cluster;

/** What a process of a cluster is. */
public enum ProcessRole {
    /** Keeps what a JobManager needs to take its jobs up again, and starts it anew when it dies. */
    KEEPER("keeper", "io.millrace.cluster.KeeperMain"),

    /** Flink's coordinator, with the web UI. */
    JOBMANAGER("JobManager", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"),

    /** Flink's worker, with task slots. */
    TASKMANAGER("TaskManager", "org.apache.flink.runtime.taskexecutor.TaskManagerRunner");

    private final String title;
    private final String mainClass;

    ProcessRole(String title, String mainClass) {
        this.title = title;
        this.mainClass = mainClass;
    }

    /** The name in sentences. */
    public String title() {
        return title;
    }

    String mainClass() {
        return mainClass;
    }
}
