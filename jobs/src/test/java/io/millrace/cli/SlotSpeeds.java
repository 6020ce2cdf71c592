package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The speeds of the slots of a running job and the rows that waited for their turn, read from metrics.
 *
 * @param samplesPerSecond the throughput that each slot would have alone, from its stage's own time
 * @param mostWaitingRows the largest number of rows that waited at a time since the job began
 * @param mostParkedBytes the largest number of bytes in parked rows since the job began
 */
public record SlotSpeeds(List<Double> samplesPerSecond, long mostWaitingRows, long mostParkedBytes) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Reads the speeds; empty while metrics of a slot or the trainer are missing, and when the job has ended. */
    public static Optional<SlotSpeeds> read(URI web, String job, String stage, int slots)
            throws IOException, InterruptedException {
        List<Double> speeds = new ArrayList<>();
        Map<String, Double> trainer = new HashMap<>();
        String prefix = "." + stage + ".millrace.";
        for (JsonNode vertex : get(web, "/jobs/" + job).path("vertices")) {
            String metrics =
                    "/jobs/" + job + "/vertices/" + vertex.required("id").asText() + "/metrics?get=";
            if (vertex.required("name").asText().contains(stage)) {
                for (int slot = 0; slot < slots; slot++) {
                    String records = slot + prefix + "records";
                    String own = slot + prefix + "ownNanos";
                    Map<String, Double> values = values(get(web, metrics + records + "," + own));
                    if (values.getOrDefault(own, 0.0) > 0) {
                        speeds.add(values.getOrDefault(records, 0.0) * 1e9 / values.getOrDefault(own, 0.0));
                    }
                }
            } else {
                trainer.putAll(values(
                        get(web, metrics + "0.train.millrace.mostWaitingRows,0.train.millrace.mostParkedBytes")));
            }
        }
        return speeds.size() < slots || trainer.size() < 2
                ? Optional.empty()
                : Optional.of(new SlotSpeeds(
                        List.copyOf(speeds),
                        Math.round(trainer.getOrDefault("0.train.millrace.mostWaitingRows", 0.0)),
                        Math.round(trainer.getOrDefault("0.train.millrace.mostParkedBytes", 0.0))));
    }

    private static Map<String, Double> values(JsonNode answer) {
        Map<String, Double> values = new HashMap<>();
        answer.forEach(metric -> values.put(
                metric.required("id").asText(), metric.required("value").asDouble()));
        return values;
    }

    private static JsonNode get(URI web, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(web.resolve(path)).build();
        return MAPPER.readTree(HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body());
    }

    /** Returns the throughput that the slots could reach together. */
    public double sum() {
        return samplesPerSecond.stream().mapToDouble(Double::doubleValue).sum();
    }

    public double slowest() {
        return Collections.min(samplesPerSecond);
    }

    public double fastest() {
        return Collections.max(samplesPerSecond);
    }
}
