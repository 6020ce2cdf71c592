package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.lifecycle.Handles;
import io.millrace.rest.ClusterRest;
import io.millrace.serve.ListenAddress;
import io.millrace.serve.ServeEndpoint;
import io.millrace.serve.ServeSpec;
import io.millrace.serve.WireClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The front door of a job whose JobManager answers as the test wants. */
class SinkPlacesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String JOB = "5a";
    private static final String PLACE =
            "{\"0\": [\"unix:/sink\", \"10.0.0.7:4711\"], \"machines\": {\"0\": {\"name\": \"worker\", \"id\": \"x\"}}}";

    private final AtomicInteger readings = new AtomicInteger();
    private String accumulator = "millrace serve";
    private String sink = "deliver";

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Map<String, Object> answer;
            if (exchange.getRequestURI().getPath().endsWith("/accumulators")) {
                String value = readings.getAndIncrement() == 0 ? "{\"0\": null, \"machines\": {\"0\": null}}" : PLACE;
                answer = Map.of("user-task-accumulators", List.of(Map.of("name", accumulator, "value", value)));
            } else {
                answer = Map.of(
                        "state",
                        "RUNNING",
                        "vertices",
                        List.of(Map.of("id", "1", "name", sink, "parallelism", 1, "tasks", Map.of("RUNNING", 1))));
            }
            byte[] bytes = JSON.writeValueAsString(answer).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Test
    void clientsAreSentToTheSinksAfterAnAnswerThatNobodyUnderstands() throws Exception {
        requireThatClientsAreSent(ServeSpec.Stream.TRAINING);
    }

    @Test
    void clientsOfTheEvaluationAreSentToItsOwnSinks() throws Exception {
        accumulator = "millrace serve evaluation";
        sink = "evaluation: deliver";
        requireThatClientsAreSent(ServeSpec.Stream.EVALUATION);
    }

    private void requireThatClientsAreSent(ServeSpec.Stream stream) throws Exception {
        ServeSpec spec = new ServeSpec(
                "run",
                ServeSpec.Network.LOOPBACK,
                "0123456789abcdef0123456789abcdef",
                1,
                "{}",
                ServeSpec.Stream.TRAINING,
                null);
        try (Handles handles = new Handles()) {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/jobs/" + JOB, this::answer);
            server.start();
            handles.add(() -> server.stop(0));
            ServeEndpoint door = handles.add(ServeEndpoint.open(spec, new ListenAddress("127.0.0.1", 0, null)));
            URI web = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            handles.add(new SinkPlaces(new ClusterRest(web), JOB, stream, door));
            WireClient client = handles.add(WireClient.connect(door.addresses().get(0)));
            client.join(Map.of());
            WireClient.Received sent = client.next();
            assertThat(sent.type()).isEqualTo(WireClient.REDIRECT);
            assertThat(sent.json().required("addresses")).hasToString("[\"unix:/sink\",\"10.0.0.7:4711\"]");
        }
    }
}
