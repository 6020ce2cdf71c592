package io.millrace.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A client of the REST interface of Flink 2.x that reads a job with its metrics. Flink may be embedded or remote. Safe
 * for use by several threads.
 *
 * <p>Flink collects metrics on request, at most every {@code metrics.fetcher.update-interval} (10 s unless configured), so
 * the first answers contain none. Right after a start, a sum may lack subtasks that have not reported yet.
 */
public final class FlinkRest {
    /** The number of subtasks whose profiles of the user's code are read: the others run the same code on other samples. */
    private static final int MOST_PROFILES = 16;

    private final RestCalls calls;

    /**
     * Creates a client that connects on its first call.
     *
     * @param address the address of the JobManager's REST interface, such as http://localhost:8081
     */
    public FlinkRest(URI address) {
        this.calls = new RestCalls(address);
    }

    /**
     * Reads a job's state and metrics, without those of the evaluation of a served run.
     *
     * @param job Flink's id of the job, 32 hexadecimal digits
     * @param stages the names of the stages, which are the names of their operators
     * @throws IOException when there is no such job, or Flink does not answer
     */
    public JobReading read(String job, List<String> stages) throws IOException, InterruptedException {
        JsonNode details = calls.get("/jobs/" + job);
        List<Vertex> vertices = new ArrayList<>();
        for (JsonNode vertex : details.path("vertices")) {
            if (JobTasks.Vertex.isEvaluation(vertex.path("name").asText())) {
                continue;
            }
            String path = "/jobs/" + job + "/vertices/" + vertex.path("id").asText();
            int parallelism = vertex.path("parallelism").asInt(1);
            vertices.add(new Vertex(vertex.path("name").asText(), parallelism, metrics(path, parallelism)));
        }
        return new JobReading(
                details.path("state").asText(),
                stages(stages, vertices),
                trainer(vertices),
                vertices.stream()
                        .map(vertex -> vertex.values.task(vertex.name, vertex.parallelism))
                        .toList(),
                machines(vertices));
    }

    private record Vertex(String name, int parallelism, MetricValues values) {}

    /** Returns the figures of the machines, which the stage that reads data reports. */
    private MachinesReading machines(List<Vertex> vertices) throws IOException, InterruptedException {
        MetricValues values = vertices.stream()
                .map(Vertex::values)
                .filter(MetricValues::hasMachines)
                .findFirst()
                .orElseGet(MetricValues::new);
        return MachinesReading.of(calls.get("/taskmanagers"), values.machine());
    }

    private static List<StageReading> stages(List<String> names, List<Vertex> vertices) {
        return names.stream()
                .map(name -> vertices.stream()
                        .filter(vertex -> vertex.values.has(name))
                        .findFirst()
                        .map(vertex -> vertex.values.stage(name, vertex.parallelism))
                        .orElseGet(() -> StageReading.unknown(name)))
                .toList();
    }

    private static TrainerReading trainer(List<Vertex> vertices) {
        return vertices.stream()
                .map(vertex -> vertex.values.trainer())
                .filter(trainer -> trainer.steps() != null)
                .findFirst()
                .orElse(TrainerReading.UNKNOWN);
    }

    /**
     * Returns the metrics of a vertex. Requests only ids that exist, because Flink returns no value at all when one id
     * does not exist. Flink does not aggregate texts, so those of each subtask are requested.
     */
    private MetricValues metrics(String vertex, int parallelism) throws IOException, InterruptedException {
        List<String> ids = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        String path = vertex + "/subtasks/metrics";
        for (JsonNode metric : calls.get(path)) {
            String id = metric.path("id").asText();
            if (MetricIds.isRead(id)) {
                ids.add(URLEncoder.encode(id, StandardCharsets.UTF_8));
            } else if (MetricIds.isCode(id) || MetricIds.isEpochs(id)) {
                IntStream.range(0, MetricIds.isCode(id) ? Math.min(parallelism, MOST_PROFILES) : parallelism)
                        .forEach(subtask -> texts.add(URLEncoder.encode(subtask + "." + id, StandardCharsets.UTF_8)));
            }
        }
        MetricValues values = new MetricValues();
        for (String query : MetricIds.queries(ids)) {
            values.add(calls.get(path + "?get=" + query));
        }
        for (String query : MetricIds.queries(texts)) {
            values.addTexts(calls.get(vertex + "/metrics?get=" + query));
        }
        return values;
    }
}
