package io.millrace.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;

/** What a cluster says of itself over Flink's REST interface. */
final class ClusterRest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpClient client;
    private final URI address;

    /**
     * Connects when first used.
     *
     * @param tls whom to trust where the address is one of https
     */
    ClusterRest(URI address, SSLContext tls) {
        this.address = address;
        this.client =
                HttpClient.newBuilder().connectTimeout(TIMEOUT).sslContext(tls).build();
    }

    /** The slots of each TaskManager that has registered. */
    Map<String, Integer> slots() throws IOException, InterruptedException {
        Map<String, Integer> slots = new HashMap<>();
        for (JsonNode manager : get("/taskmanagers").path("taskmanagers")) {
            slots.put(manager.path("id").asText(), manager.path("slotsNumber").asInt());
        }
        return slots;
    }

    /** All jobs that the cluster remembers, ended ones too. */
    List<ClusterStatus.Job> jobs() throws IOException, InterruptedException {
        List<ClusterStatus.Job> jobs = new ArrayList<>();
        for (JsonNode job : get("/jobs/overview").path("jobs")) {
            jobs.add(new ClusterStatus.Job(
                    job.path("jid").asText(),
                    job.path("name").asText(),
                    job.path("state").asText(),
                    job.path("duration").asLong() / 1e3));
        }
        return jobs;
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = client.send(
                HttpRequest.newBuilder(address.resolve(path)).timeout(TIMEOUT).build(),
                HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException("Flink answered " + path + " with status " + response.statusCode());
        }
        return MAPPER.readTree(response.body());
    }
}
