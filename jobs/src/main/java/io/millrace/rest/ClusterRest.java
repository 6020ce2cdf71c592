package io.millrace.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.flink.configuration.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * A client of the REST interface of Flink 2.x for a cluster and its jobs. {@link FlinkRest} reads the metrics of a job.
 * Every method throws an IOException with a message for the user when Flink does not answer. Safe for use by several
 * threads.
 *
 * <p>Tested by {@code AutoSlotsE2E} and {@code FlinkRestITCase}.
 */
public final class ClusterRest {
    /** Flink's name of the kind of savepoint that ends its job. */
    private static final String STOP = "SYNC_SAVEPOINT";

    private final RestCalls calls;

    /**
     * Creates a client that connects on its first call.
     *
     * @param address the address of the JobManager's REST interface, such as http://localhost:8081
     */
    public ClusterRest(URI address) {
        this.calls = new RestCalls(address);
    }

    /**
     * Creates a client for a cluster whose configuration is known.
     *
     * @param address the address of the JobManager's REST interface
     * @param configuration the cluster's configuration, which names the trust store for an address with https
     * @param timeout the time limit of one call
     * @throws IOException when the trust store cannot be read; the message is for the user
     */
    public ClusterRest(URI address, Configuration configuration, Duration timeout) throws IOException {
        this.calls = new RestCalls(address, timeout, RestTrust.of(configuration));
    }

    /** Returns Flink's version. Callers use it to check whether Flink answers. */
    public String flinkVersion() throws IOException, InterruptedException {
        return calls.get("/overview").path("flink-version").asText();
    }

    /** Returns all jobs that the cluster lists, the latest first. */
    public List<ClusterJob> jobs() throws IOException, InterruptedException {
        List<ClusterJob> jobs = new ArrayList<>();
        for (JsonNode job : calls.get("/jobs/overview").path("jobs")) {
            long ended = job.path("end-time").asLong(-1);
            jobs.add(new ClusterJob(
                    job.path("jid").asText(),
                    job.path("name").asText(),
                    job.path("state").asText(),
                    job.path("start-time").asLong(),
                    ended < 0 ? null : Long.valueOf(ended),
                    job.path("duration").asLong(),
                    job.path("schedulerType").asText().equalsIgnoreCase("adaptive")));
        }
        jobs.sort((a, b) -> Long.compare(b.startedAtMillis(), a.startedAtMillis()));
        return jobs;
    }

    /** Returns an accumulator of a job's operators as text; empty when no operator has registered it yet. */
    public Optional<String> accumulator(String job, String name) throws IOException, InterruptedException {
        for (JsonNode accumulator : calls.get("/jobs/" + job + "/accumulators").path("user-task-accumulators")) {
            String value = accumulator.path("value").asText();
            if (accumulator.path("name").asText().equals(name) && !value.isEmpty()) {
                return Optional.of(value);
            }
        }
        return Optional.empty();
    }

    /** Returns the present time by the JobManager's clock, in milliseconds since 1970, for a job that it knows. */
    public long nowMillis(String job) throws IOException, InterruptedException {
        return calls.get("/jobs/" + job).required("now").asLong();
    }

    /** Returns the states of a job's tasks. */
    public JobTasks tasks(String job) throws IOException, InterruptedException {
        JsonNode details = calls.get("/jobs/" + job);
        List<JobTasks.Vertex> vertices = new ArrayList<>();
        for (JsonNode vertex : details.path("vertices")) {
            Map<String, Integer> tasks = new LinkedHashMap<>();
            vertex.path("tasks")
                    .properties()
                    .forEach(count -> tasks.put(count.getKey(), count.getValue().asInt()));
            vertices.add(new JobTasks.Vertex(
                    vertex.path("id").asText(),
                    vertex.path("name").asText(),
                    vertex.path("parallelism").asInt(),
                    tasks));
        }
        String state = details.path("state").asText();
        long sinceMillis = details.path("timestamps").path(state).asLong();
        if (sinceMillis == 0) { // the adaptive scheduler reports no time for a job that waits for its first slots
            sinceMillis = details.path("start-time").asLong();
        }
        return new JobTasks(state, sinceMillis, vertices);
    }

    /** Returns the parameters of the job, which the web UI shows. */
    public Map<String, String> parameters(String job) throws IOException, InterruptedException {
        Map<String, String> parameters = new LinkedHashMap<>();
        calls.get("/jobs/" + job + "/config")
                .path("execution-config")
                .path("user-config")
                .properties()
                .forEach(
                        entry -> parameters.put(entry.getKey(), entry.getValue().asText()));
        return parameters;
    }

    /** Returns the latest finished checkpoint or savepoint; empty when there is none. */
    public Optional<SavedState> lastSaved(String job) throws IOException, InterruptedException {
        JsonNode latest = calls.get("/jobs/" + job + "/checkpoints").path("latest");
        SavedState checkpoint = saved(latest.path("completed"));
        SavedState savepoint = saved(latest.path("savepoint"));
        if (checkpoint == null || savepoint == null) {
            return Optional.ofNullable(checkpoint == null ? savepoint : checkpoint);
        }
        return Optional.of(checkpoint.atMillis() > savepoint.atMillis() ? checkpoint : savepoint);
    }

    private static @Nullable SavedState saved(JsonNode node) {
        return node.path("external_path").isTextual()
                ? new SavedState(
                        node.path("external_path").asText(),
                        node.path("latest_ack_timestamp").asLong(),
                        node.path("state_size").asLong(),
                        node.path("checkpoint_type").asText().equals(STOP))
                : null;
    }

    /**
     * Returns how often the job's tasks were restarted. All tasks are connected and restart together, except those of an evaluation,
     * so the highest attempt number of a subtask is the number of restarts. It is available after the end of the job, too.
     */
    public int restarts(String job) throws IOException, InterruptedException {
        int restarts = 0;
        for (JsonNode vertex : calls.get("/jobs/" + job).path("vertices")) {
            if (JobTasks.Vertex.isEvaluation(vertex.path("name").asText())) {
                continue;
            }
            JsonNode subtasks = calls.get(
                            "/jobs/" + job + "/vertices/" + vertex.path("id").asText())
                    .path("subtasks");
            for (JsonNode subtask : subtasks) {
                restarts = Math.max(restarts, subtask.path("attempt").asInt());
            }
        }
        return restarts;
    }

    /**
     * Returns the time at which the running subtask of a vertex was started, by Flink's clock; empty when none runs.
     */
    public OptionalLong runningSince(String job, String vertex) throws IOException, InterruptedException {
        for (JsonNode subtask :
                calls.get("/jobs/" + job + "/vertices/" + vertex).path("subtasks")) {
            if (subtask.path("status").asText().equals("RUNNING")) {
                return OptionalLong.of(subtask.path("start-time").asLong());
            }
        }
        return OptionalLong.empty();
    }

    /** Returns whether the cluster uses the adaptive scheduler, which can change the parallelism of running jobs. */
    public boolean adaptive() throws IOException, InterruptedException {
        Map<String, String> options = configuration();
        return "adaptive".equalsIgnoreCase(options.get("jobmanager.scheduler"))
                || "reactive".equalsIgnoreCase(options.get("scheduler-mode"));
    }

    /** Returns the options of the JobManager. Flink masks the values of those whose names say that they are secret. */
    public Map<String, String> configuration() throws IOException, InterruptedException {
        Map<String, String> options = new LinkedHashMap<>();
        for (JsonNode option : calls.get("/jobmanager/config")) {
            options.put(option.path("key").asText(), option.path("value").asText());
        }
        return options;
    }

    /** Returns the TaskManagers of the cluster. */
    public List<TaskManagerReading> taskManagers() throws IOException, InterruptedException {
        List<TaskManagerReading> managers = new ArrayList<>();
        for (JsonNode manager : calls.get("/taskmanagers").path("taskmanagers")) {
            managers.add(new TaskManagerReading(
                    manager.path("id").asText(),
                    manager.path("slotsNumber").asInt(),
                    manager.path("freeSlots").asInt(),
                    devices(manager.path("totalResource")),
                    devices(manager.path("freeResource"))));
        }
        return managers;
    }

    private static Map<String, Double> devices(JsonNode resource) {
        Map<String, Double> devices = new LinkedHashMap<>();
        resource.path("extendedResources")
                .properties()
                .forEach(entry -> devices.put(entry.getKey(), entry.getValue().asDouble()));
        return devices;
    }

    /** Returns the upper bounds of the parallelism of a job's vertices, by vertex id, for a job that the adaptive scheduler runs. */
    public Map<String, Integer> mostSlots(String job) throws IOException, InterruptedException {
        Map<String, Integer> most = new LinkedHashMap<>();
        calls.get("/jobs/" + job + "/resource-requirements")
                .properties()
                .forEach(vertex -> most.put(
                        vertex.getKey(),
                        vertex.getValue().path("parallelism").path("upperBound").asInt()));
        return most;
    }

    /**
     * Changes the upper bounds of the parallelism of a job that the adaptive scheduler runs. Other vertices keep their bounds.
     *
     * @param most the largest allowed number of subtasks, by vertex id
     */
    public void requireResources(String job, Map<String, Integer> most) throws IOException, InterruptedException {
        String path = "/jobs/" + job + "/resource-requirements";
        ObjectNode requirements = new ObjectMapper().createObjectNode();
        calls.get(path).properties().forEach(vertex -> requirements.set(vertex.getKey(), vertex.getValue()));
        most.forEach((vertex, bound) -> requirements
                .putObject(vertex)
                .putObject("parallelism")
                .put("lowerBound", 1)
                .put("upperBound", bound));
        calls.put(path, requirements);
    }
}
