package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.RunHistory;
import io.millrace.cli.SlowTraining;
import io.millrace.served.ClientProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** A detached run on a cluster that a test disturbs, with its progress and its processes. */
public final class ClusterJob {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration LONGEST_RUN = Duration.ofMinutes(10);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final TestCluster cluster;
    private final String id;
    private final Path run;
    private final Path summary;

    private ClusterJob(TestCluster cluster, String id, Path run, Path summary) {
        this.cluster = cluster;
        this.id = id;
        this.run = run;
        this.summary = summary;
    }

    /** Submits the run with the command that a user would use. */
    public static ClusterJob submit(TestCluster cluster, ClientProcess programs, Path pipeline, Path summary)
            throws Exception {
        ClientProcess.Ended ended = programs.millrace(
                "train",
                pipeline.toString(),
                "--cluster",
                cluster.address(),
                "--detach",
                "--summary",
                summary.toString(),
                "--json");
        return submittedBy(cluster, ended);
    }

    /** Returns the run that a detached client has submitted. */
    public static ClusterJob submittedBy(TestCluster cluster, ClientProcess.Ended ended) throws IOException {
        assertThat(ended.exitCode()).as("%s", ended).isZero();
        JsonNode result = SlowTraining.json(ended.out().lines().reduce("", (first, second) -> second));
        return new ClusterJob(
                cluster,
                result.required("job").asText(),
                Path.of(result.required("run").asText()),
                Path.of(result.required("summary").asText()));
    }

    /** Returns the same run with the id that it has after it was submitted again. */
    public ClusterJob under(String other) {
        return new ClusterJob(cluster, other, run, summary);
    }

    public String id() {
        return id;
    }

    public Path run() {
        return run;
    }

    /** Returns whether the run has ended. A run that was saved in order to be scaled is interrupted, which does not count. */
    public boolean isDone() throws IOException {
        return Files.exists(summary)
                && !SlowTraining.json(Files.readString(summary))
                        .required("status")
                        .asText()
                        .equals("interrupted");
    }

    /** Returns the summary of the job; empty before its end. */
    public String summary() throws IOException {
        return isDone() ? Files.readString(summary) : "";
    }

    /** Waits for the end and returns the summary. */
    public JsonNode await() throws Exception {
        cluster.await("the end of the job", LONGEST_RUN, this::isDone);
        return SlowTraining.json(Files.readString(summary));
    }

    /** Returns the number of steps in steps.csv now. */
    public long stepsWritten() throws IOException {
        return new RunHistory(run).stepsWritten();
    }

    /** Returns the identity of steps.csv. A run that recovers writes a new file with this name. */
    public Object stepsFile() throws IOException {
        return Files.getAttribute(run.resolve("steps.csv"), "unix:ino");
    }

    /** Returns the number of the latest complete checkpoint in this folder; 0 before the first. */
    public long latestCheckpoint(Path checkpoints) throws IOException {
        Path ours = checkpoints.resolve(id);
        if (!Files.isDirectory(ours)) {
            return 0;
        }
        try (Stream<Path> entries = Files.list(ours)) {
            return entries.filter(entry -> Files.exists(entry.resolve("_metadata")))
                    .map(entry -> entry.getFileName().toString().replaceAll("\\D", ""))
                    .mapToLong(Long::parseLong)
                    .max()
                    .orElse(0);
        }
    }

    /** Returns the living TaskManager that trains; empty while the job is not running. */
    public Optional<ClusterProcess> trainer() throws IOException, InterruptedException {
        return places("train").stream().findFirst();
    }

    /** Returns a living TaskManager that only prepares samples. */
    public Optional<ClusterProcess> dataServer() throws IOException, InterruptedException {
        List<ClusterProcess> trainers = places("train");
        return places("read").stream()
                .filter(process -> !trainers.isEmpty() && !trainers.contains(process))
                .findFirst();
    }

    /** Waits for the trainer: a job that restarts, as on a busy machine at any time, is on no machine meanwhile. */
    public ClusterProcess awaitTrainer() throws Exception {
        return await("the trainer", this::trainer);
    }

    /** Waits for a TaskManager that only prepares samples. */
    public ClusterProcess awaitDataServer() throws Exception {
        return await("a data server", this::dataServer);
    }

    private ClusterProcess await(String what, Callable<Optional<ClusterProcess>> place) throws Exception {
        List<ClusterProcess> found = new ArrayList<>();
        cluster.await(what, () -> {
            place.call().ifPresent(found::add);
            return !found.isEmpty();
        });
        return found.get(0);
    }

    /** Returns the living TaskManagers with tasks of the stage whose name contains this word. */
    public List<ClusterProcess> places(String word) throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        for (JsonNode vertex : get("/jobs/" + id).path("vertices")) {
            if (vertex.path("name").asText().contains(word)
                    && vertex.path("status").asText().equals("RUNNING")) {
                get("/jobs/" + id + "/vertices/" + vertex.path("id").asText() + "/taskmanagers")
                        .path("taskmanagers")
                        .forEach(manager ->
                                names.add(manager.path("taskmanager-id").asText()));
            }
        }
        return cluster.taskManagers().stream()
                .filter(process -> names.contains(process.id()) && process.isAlive())
                .toList();
    }

    /** Returns the number of subtasks of a stage or of its chain. */
    public int parallelism(String stage) throws IOException, InterruptedException {
        for (JsonNode vertex : get("/jobs/" + id).path("vertices")) {
            if (vertex.path("name").asText().contains(stage)) {
                return vertex.path("parallelism").asInt();
            }
        }
        return 0;
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(cluster.web().toString().replaceAll("/+$", "") + path))
                .timeout(TIMEOUT)
                .build();
        return SlowTraining.json(
                client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
}
