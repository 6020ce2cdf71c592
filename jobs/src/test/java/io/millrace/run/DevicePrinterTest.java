package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.millrace.rest.ClusterRest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DevicePrinterTest {
    private final List<String> printed = new ArrayList<>();
    private final List<String> requested = new ArrayList<>();
    private String accumulators = "";
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requested.add(exchange.getRequestURI().getPath());
            byte[] answer = ("{\"job-accumulators\":[],\"user-task-accumulators\":[" + accumulators
                            + "],\"serialized-user-task-accumulators\":{}}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private DevicePrinter printer() {
        URI address = URI.create("http://localhost:" + server.getAddress().getPort());
        return new DevicePrinter(new ClusterRest(address), "5a", printed::add);
    }

    private static String accumulator(String name, String value) {
        return "{\"name\":\"" + name + "\",\"type\":\"Opened\",\"value\":\"" + value + "\"}";
    }

    @Test
    void deviceIsPrintedOnceWhenFlinkKnowsIt() {
        DevicePrinter printer = printer();
        printer.check();
        accumulators = accumulator("another", "something") + "," + accumulator("millrace devices", "");
        printer.check();
        assertThat(printed).isEmpty();
        assertThat(printer.printed()).isEmpty();

        accumulators = accumulator("another", "something") + ","
                + accumulator(
                        "millrace devices",
                        "the host's memory, not a GPU: JCuda's library cannot be loaded: no room. And advice");
        printer.check();
        printer.check();
        assertThat(printed)
                .containsExactly("device  the host's memory, not a GPU: JCuda's library cannot be loaded: no room");
        assertThat(printer.printed())
                .contains("the host's memory, not a GPU: JCuda's library cannot be loaded: no room");
        assertThat(requested).hasSize(3).containsOnly("/jobs/5a/accumulators");
    }

    @Test
    void flinkThatDoesNotAnswerIsAskedAgain() {
        DevicePrinter printer = printer();
        server.stop(0);
        printer.check();
        assertThat(printed).isEmpty();
    }
}
