package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
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
}
