package io.millrace.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.option.TimeSpan;
import io.millrace.pipeline.web.OwnWeb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * A client that sends requests to Flink's REST interface, again while Flink answers 503 because no JobManager leads
 * yet. Safe for use by several threads.
 */
final class RestCalls {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpClient client;
    private final URI address;
    private final Duration timeout;

    /** Creates a client with the trust store of the configuration in FLINK_CONF_DIR. */
    RestCalls(URI address) {
        this(address, TIMEOUT, trust(address));
    }

    /**
     * Creates a client with a trust store.
     *
     * @param timeout the time limit of one request, and that of waiting for a JobManager that leads
     * @param trust the trust store; empty for the JVM's default
     */
    RestCalls(URI address, Duration timeout, Optional<SSLContext> trust) {
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(timeout);
        trust.ifPresent(builder::sslContext);
        this.address = address;
        this.timeout = timeout;
        this.client = builder.build();
    }

    private static Optional<SSLContext> trust(URI address) {
        try {
            return "https".equals(address.getScheme()) ? RestTrust.configured() : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return call("GET", path, BodyPublishers.noBody());
    }

    void put(String path, JsonNode body) throws IOException, InterruptedException {
        call("PUT", path, BodyPublishers.ofString(body.toString()));
    }

    private JsonNode call(String method, String path, BodyPublisher body) throws IOException, InterruptedException {
        URI uri = URI.create(address.toString().replaceAll("/+$", "") + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(timeout)
                .header("Content-Type", "application/json")
                .method(method, body);
        OwnWeb.header(address).ifPresent(own -> request.header(own.getKey(), own.getValue()));
        HttpResponse<byte[]> response = send(request.build());
        // A JobManager that has just started, or replaces another one, does not lead yet and has carried out nothing.
        long began = System.nanoTime();
        while (response.statusCode() == HttpURLConnection.HTTP_UNAVAILABLE
                && System.nanoTime() - began < timeout.toNanos()) {
            Thread.sleep(PAUSE.toMillis());
            response = send(request.build());
        }
        if (response.statusCode() / 100 != 2) {
            throw new IOException("Flink answered " + uri + " with status " + response.statusCode() + ", expected 200: "
                    + new String(response.body(), StandardCharsets.UTF_8)
                            .lines()
                            .findFirst()
                            .orElse(""));
        }
        return MAPPER.readTree(response.body());
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new IOException("no answer from Flink at " + address + ": " + describe(e), e);
        }
    }

    /**
     * Returns the description of a failed call. Java's HTTP client has no message when no program listens at an
     * address.
     */
    private String describe(IOException thrown) {
        if (thrown instanceof HttpTimeoutException) {
            return "nothing within " + new TimeSpan(timeout);
        }
        String message = thrown.getMessage();
        return message != null
                ? message
                : thrown instanceof ConnectException ? "no program listens there" : thrown.toString();
    }
}
