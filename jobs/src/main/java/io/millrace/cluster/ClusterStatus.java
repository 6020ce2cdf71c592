package io.millrace.cluster;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import io.millrace.rest.ClusterJob;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The state of a local cluster. The names in its JSON are fixed, because scripts rely on them.
 *
 * @param rest the address of REST and of the web UI, for example 127.0.0.1:8081; null when there is no cluster
 * @param jobManager the JobManager; null when there is none
 * @param taskManagers the TaskManagers
 * @param jobs the jobs; also empty when the JobManager does not answer
 */
public record ClusterStatus(
        @JsonProperty("rest") @Nullable String rest,
        @JsonProperty("jobmanager") @Nullable Member jobManager,
        @JsonProperty("taskmanagers") List<Worker> taskManagers,
        @JsonProperty("jobs") List<Job> jobs) {

    /** The state of a process. */
    public enum State {
        /** The process works. */
        RUNNING,
        /** The process runs but is not ready: a TaskManager has not registered, or the JobManager does not answer. */
        STARTING,
        /** The process has ended without having been stopped. */
        DEAD;

        /** Returns the word for JSON and text. */
        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A process without slots.
     *
     * @param reason the cause of the end; null while the process runs
     */
    public record Member(
            @JsonProperty("pid") long pid,
            @JsonProperty("state") State state,

            @JsonProperty("reason") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String reason) {}

    /**
     * A TaskManager.
     *
     * @param id the name in Flink
     * @param reason the cause of the end; null while the process runs
     */
    public record Worker(
            @JsonProperty("id") String id,
            @JsonProperty("pid") long pid,
            @JsonProperty("slots") int slots,
            @JsonProperty("state") State state,

            @JsonProperty("reason") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String reason) {}

    /**
     * A running job, or an ended job that the cluster still lists.
     *
     * @param id Flink's id, 32 hexadecimal digits
     * @param state Flink's state, for example RUNNING
     * @param seconds the seconds from the submission until now or until the end of the job
     */
    public record Job(
            @JsonProperty("id") String id,
            @JsonProperty("name") String name,
            @JsonProperty("state") String state,
            @JsonProperty("duration_s") double seconds) {

        static Job of(ClusterJob job) {
            return new Job(job.id(), job.name(), job.state(), job.durationMillis() / 1e3);
        }
    }

    public ClusterStatus {
        taskManagers = List.copyOf(taskManagers);
        jobs = List.copyOf(jobs);
    }

    /** Returns whether there is a JobManager process. */
    @JsonIgnore
    public boolean isRunning() {
        return jobManager != null && jobManager.state != State.DEAD;
    }

    /** Returns the number of slots of all TaskManagers that work. */
    public int slots() {
        return taskManagers.stream()
                .filter(worker -> worker.state == State.RUNNING)
                .mapToInt(Worker::slots)
                .sum();
    }
}
