package io.millrace.cluster;

/** The role of a process in a cluster. */
public enum ProcessRole {
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

    /** Returns the name for messages. */
    public String title() {
        return title;
    }

    String mainClass() {
        return mainClass;
    }
}
