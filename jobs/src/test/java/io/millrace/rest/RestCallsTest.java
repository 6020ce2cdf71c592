package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RestCallsTest {
    @Test
    void programThatDoesNotReplyIsDescribedWithoutAnException() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            URI address = URI.create("http://127.0.0.1:" + silent.getLocalPort());
            assertThatThrownBy(() -> new RestCalls(address, Duration.ofMillis(300), Optional.empty()).get("/config"))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no answer from Flink at " + address + ": nothing within 300ms");
        }
    }

    @Test
    void addressWhereNoProgramListensIsDescribed() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        URI address = URI.create("http://127.0.0.1:" + port);
        assertThatThrownBy(() -> new RestCalls(address, Duration.ofSeconds(10), Optional.empty()).get("/config"))
                .isInstanceOf(IOException.class)
                .hasMessage("no answer from Flink at " + address + ": no program listens there");
    }

    @Test
    void callWaitsForAJobManagerThatLeads() throws Exception {
        try (Answers flink = new Answers(3)) {
            assertThat(new RestCalls(flink.address(), Duration.ofSeconds(30), Optional.empty())
                            .get("/jobs/overview")
                            .path("jobs"))
                    .isEmpty();
            assertThat(flink.requests.get()).isEqualTo(4);
        }
    }

    @Test
    void clusterWithoutALeaderIsDescribedAfterTheTimeLimit() throws Exception {
        try (Answers flink = new Answers(Integer.MAX_VALUE)) {
            assertThatThrownBy(() ->
                            new RestCalls(flink.address(), Duration.ofSeconds(3), Optional.empty()).get("/config"))
                    .isInstanceOf(IOException.class)
                    .hasMessage("Flink answered " + flink.address() + "/config with status 503, expected 200: "
                            + Answers.NO_LEADER);
            assertThat(flink.requests.get()).isGreaterThan(1);
        }
    }

    /** A server that says, as Flink does, that no JobManager leads, to a number of requests, and then lists no jobs. */
    private static final class Answers implements AutoCloseable {
        static final String NO_LEADER = "{\"errors\":[\"Service temporarily unavailable due to an ongoing leader"
                + " election. Please refresh.\"]}";

        final AtomicInteger requests = new AtomicInteger();
        private final HttpServer server;

        Answers(int without) throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                boolean leads = requests.incrementAndGet() > without;
                byte[] body = (leads ? "{\"jobs\":[]}" : NO_LEADER).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(leads ? 200 : 503, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            });
            server.start();
        }

        URI address() {
            return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
