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
 * A local cluster as it is; the names of its JSON are fixed, as scripts rely on them.
 *
 * @param rest where REST and web UI are, as 127.0.0.1:8081; null when there is no cluster
 * @param jobManager null when there is none
 * @param keeper null when there is none
 * @param jobs empty too when the JobManager does not answer
 */
public record ClusterStatus(
        @JsonProperty("rest") @Nullable String rest,
        @JsonProperty("jobmanager") @Nullable Member jobManager,

        @JsonProperty("keeper") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
        Member keeper,

        @JsonProperty("taskmanagers") List<Worker> taskManagers,
        @JsonProperty("jobs") List<Job> jobs) {

    /** What a process does. */
    public enum State {
        /** It works. */
        RUNNING,
        /** It lives, but the JobManager does not know it yet; the JobManager itself does not answer yet. */
        STARTING,
        /** It is gone, and nobody stopped it. */
        DEAD;

        /** As it is in JSON and text. */
        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A process without slots.
     *
     * @param reason of its death; null while it lives
     */
    public record Member(
            @JsonProperty("pid") long pid,
            @JsonProperty("state") State state,

            @JsonProperty("reason") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String reason) {}

    /**
     * A TaskManager.
     *
     * @param id Flink's name of it
     * @param reason of its death; null while it lives
     */
    public record Worker(
            @JsonProperty("id") String id,
            @JsonProperty("pid") long pid,
            @JsonProperty("slots") int slots,
            @JsonProperty("state") State state,

            @JsonProperty("reason") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String reason) {}

    /**
     * A job that the cluster remembers.
     *
     * @param id Flink's, 32 hexadecimal digits
     * @param state Flink's, as RUNNING
     * @param seconds since its submission, until its end
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

    /** Whether there is a JobManager that lives. */
    @JsonIgnore
    public boolean isRunning() {
        return jobManager != null && jobManager.state != State.DEAD;
    }

    /** The slots of all TaskManagers that work. */
    public int slots() {
        return taskManagers.stream()
                .filter(worker -> worker.state == State.RUNNING)
                .mapToInt(Worker::slots)
                .sum();
    }
}
