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
 * Reads a cluster and its jobs from the REST interface of Flink 2.x: what {@link FlinkRest} does not, which reads metrics.
 * Every method throws IOException with a sentence when Flink does not answer. Safe for use by several threads.
 */
public final class ClusterRest {
    private final RestCalls calls;

    /**
     * Connects when first used.
     *
     * @param address of the JobManager's REST interface, as http://localhost:8081
     */
    public ClusterRest(URI address) {
        this.calls = new RestCalls(address);
    }

    /**
     * As above, to a cluster whose configuration is at hand.
     *
     * @param configuration that says whom to trust where the address is one of https
     * @param timeout of one call
     * @throws IOException with a sentence, when its trust store cannot be read
     */
    public ClusterRest(URI address, Configuration configuration, Duration timeout) throws IOException {
        this.calls = new RestCalls(address, timeout, RestTrust.of(configuration));
    }

    /** Flink's version; asked to see whether anything answers. */
    public String flinkVersion() throws IOException, InterruptedException {
        return calls.get("/overview").path("flink-version").asText();
    }

    /** All jobs that the cluster knows, the latest first. */
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

    /** How far the job's tasks are. */
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
        if (sinceMillis == 0) { // the adaptive scheduler tells no time of a job that waits for its first slots
            sinceMillis = details.path("start-time").asLong();
        }
        return new JobTasks(state, sinceMillis, vertices);
    }

    /** The parameters that the job was given, which the web UI shows. */
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

    /** The latest checkpoint or savepoint that was finished; empty when there is none, or none is made. */
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
                        node.path("state_size").asLong())
                : null;
    }

    /**
     * How often the job's tasks were begun again. All of them are at once, since all hang together, so that any one's
     * attempts tell it, also when the job has ended.
     */
    public int restarts(String job) throws IOException, InterruptedException {
        int restarts = 0;
        for (JsonNode vertex : calls.get("/jobs/" + job).path("vertices")) {
            JsonNode subtasks = calls.get(
                            "/jobs/" + job + "/vertices/" + vertex.path("id").asText())
                    .path("subtasks");
            for (JsonNode subtask : subtasks) {
                restarts = Math.max(restarts, subtask.path("attempt").asInt());
            }
        }
        return restarts;
    }

    /** When the one subtask of a vertex was begun that runs now, by Flink's clock; empty when none runs. */
    public OptionalLong runningSince(String job, String vertex) throws IOException, InterruptedException {
        for (JsonNode subtask :
                calls.get("/jobs/" + job + "/vertices/" + vertex).path("subtasks")) {
            if (subtask.path("status").asText().equals("RUNNING")) {
                return OptionalLong.of(subtask.path("start-time").asLong());
            }
        }
        return OptionalLong.empty();
    }

    /** Whether its jobs take the slots that there are, and can be given others as they run (adaptive scheduler). */
    public boolean adaptive() throws IOException, InterruptedException {
        for (JsonNode option : calls.get("/jobmanager/config")) {
            String key = option.path("key").asText();
            String value = option.path("value").asText();
            if ((key.equals("jobmanager.scheduler") && value.equalsIgnoreCase("adaptive"))
                    || (key.equals("scheduler-mode") && value.equalsIgnoreCase("reactive"))) {
                return true;
            }
        }
        return false;
    }

    /** The TaskManagers that are there. */
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

    /**
     * Gives a job of the adaptive scheduler other bounds; those that are not named stay as they are.
     *
     * @param most by vertex id, the most subtasks that it may have
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
