package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The texts of a run that people can see: REST responses, which the web UI shows, files, and command lines. */
public final class ShownText {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> OF_A_CLUSTER =
            List.of("/config", "/overview", "/jobmanager/config", "/jobmanager/environment", "/jobmanager/thread-dump");
    private static final List<String> OF_A_JOB = List.of(
            "",
            "/config",
            "/plan",
            "/exceptions",
            "/accumulators",
            "/checkpoints",
            "/checkpoints/config",
            "/jobmanager/config",
            "/jobmanager/environment");
    private static final List<String> OF_A_VERTEX = List.of("", "/taskmanagers", "/accumulators", "/subtasktimes");

    private final Map<String, String> texts = new TreeMap<>();

    /** Adds the output of a program. */
    public void add(String where, String text) {
        texts.put(where, text);
    }

    /** Adds all files of a folder except these. */
    public void addFiles(Path folder, Set<Path> except) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!except.contains(file)) {
                    texts.put(file.toString(), new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
                }
            }
        }
    }

    /** Adds the command line of a running process, if the system shows it. */
    public void addCommandLine(long pid) throws IOException {
        Path file = Path.of("/proc", Long.toString(pid), "cmdline");
        if (Files.exists(file)) {
            texts.put(file.toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
        }
    }

    /** Adds the REST responses about Flink, its processes with their logs, and all its jobs. */
    public void addRest(HttpClient client, URI web) throws IOException, InterruptedException {
        Rest rest = new Rest(client, web);
        for (String path : OF_A_CLUSTER) {
            rest.get(path);
        }
        for (JsonNode log : rest.get("/jobmanager/logs").path("logs")) {
            rest.get("/jobmanager/logs/" + log.required("name").asText());
        }
        for (JsonNode manager : rest.get("/taskmanagers").path("taskmanagers")) {
            String path = "/taskmanagers/" + manager.required("id").asText();
            rest.get(path);
            for (JsonNode log : rest.get(path + "/logs").path("logs")) {
                rest.get(path + "/logs/" + log.required("name").asText());
            }
        }
        for (JsonNode job : rest.get("/jobs/overview").required("jobs")) {
            String path = "/jobs/" + job.required("jid").asText();
            for (String more : OF_A_JOB) {
                rest.get(path + more);
            }
            for (JsonNode vertex : rest.get(path).required("vertices")) {
                for (String more : OF_A_VERTEX) {
                    rest.get(path + "/vertices/" + vertex.required("id").asText() + more);
                }
            }
        }
    }

    private final class Rest {
        private final HttpClient client;
        private final URI web;

        Rest(HttpClient client, URI web) {
            this.client = client;
            this.web = web;
        }

        /** The response; missing if it is not JSON, such as a log, or if an embedded Flink lacks the page. */
        JsonNode get(String path) throws IOException, InterruptedException {
            String address = web.toString().replaceAll("/+$", "") + path;
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
            texts.put(address, response.body());
            return response.body().startsWith("{") ? MAPPER.readTree(response.body()) : MAPPER.missingNode();
        }
    }

    /** Returns the texts by their origin. */
    public Map<String, String> texts() {
        return new LinkedHashMap<>(texts);
    }

    /** Asserts that no text contains this secret. */
    public void requireNone(String secret) {
        assertThat(texts).isNotEmpty();
        assertThat(texts.entrySet().stream()
                        .filter(text -> text.getValue().contains(secret))
                        .map(Map.Entry::getKey))
                .as("texts that contain a secret")
                .isEmpty();
    }
}
