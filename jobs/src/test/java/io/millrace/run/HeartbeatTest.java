package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.lifecycle.Handles;
import io.millrace.lifecycle.Uninterrupted;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.RemoteFlink;
import io.millrace.rest.ClusterRest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The signs of life to a JobManager that answers as the test wants. */
class HeartbeatTest {
    private static final long NOW = 5_000;
    private static final long TIMEOUT = 1_200;

    private final JobID job = new JobID();
    private final Handles handles = new Handles();

    /** The contents of the signs of life. */
    private final BlockingQueue<String> beats = new LinkedBlockingQueue<>();

    /** The numbers of requests of the job's time, and of signs of life. */
    private final AtomicInteger times = new AtomicInteger();

    private final AtomicInteger signs = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);
    private URI web;

    @BeforeEach
    void serve() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        handles.add(threads::shutdownNow);
        handles.add(() -> server.stop(0));
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        web = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        end.countDown();
        handles.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String answer = "{}"; // without the time that is asked for
            if (exchange.getRequestMethod().equals("GET")) {
                answer = times.getAndIncrement() == 0 ? answer : "{\"now\": " + NOW + "}";
            } else {
                beats.add(exchange.getRequestURI().getPath() + " "
                        + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                if (signs.getAndIncrement() == 0) {
                    Uninterrupted.await(end::await); // no answer
                }
            }
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Test
    void signsOfLifeContinueAfterAWrongAnswerAndAfterNone() throws Exception {
        RemoteFlink flink = handles.add(RemoteFlink.at(new ClusterAddress(web), List.of()));
        handles.add(new Heartbeat(
                new ClusterRest(web),
                flink.jobs(),
                job,
                Map.of("client.heartbeat.interval", "10 ms", "client.heartbeat.timeout", TIMEOUT + " ms")));
        for (int i = 0; i < 3; i++) {
            assertThat(beats.poll(5, TimeUnit.MINUTES))
                    .as("sign of life %d", i)
                    .contains("/jobs/" + job, String.valueOf(NOW + TIMEOUT));
        }
    }
}
