package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SmallData;
import io.millrace.serve.WireClient;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that makes its memory shorter while the server fills it. */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class LostMemoryE2E {
    private static final int BUFFERS = 4;

    /** An access behind the end fails, except in the page that contains the end. */
    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void clientThatShortensItsMemoryHearsTheSizesAndTheNextOneIsServed(long left, @TempDir Path folder)
            throws Exception {
        Path digits = SmallData.digits(folder.resolve("digits"));
        Path pipeline =
                SmallData.servedPipeline(folder.resolve("digits.yaml"), digits, folder.resolve("runs"), 100_000);
        try (ServerProcess server = new ServerProcess(folder.resolve("server"), List.of())) {
            server.begin(pipeline, List.of());
            while (!server.isReady()) {
                assertThat(server.process().isAlive()).isTrue();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
            String address = "unix:" + server.socketFolder().resolve("socket");
            try (WireClient client = WireClient.connect(address)) {
                client.join(Map.of());
                long bufferBytes = client.next().json().required("buffer_bytes").asLong();
                long found = left + (left < 0 ? BUFFERS * bufferBytes : 0);
                JsonNode error = shorten(client, found);
                assertThat(error.required("code").asText()).isEqualTo("memory");
                assertThat(error.required("message").asText())
                        .startsWith("/dev/shm/millrace-serve-")
                        .endsWith(" was made shorter while it was used: expected " + BUFFERS * bufferBytes
                                + " bytes, found " + found);
            }
            try (ServedClient next = ServedClient.connect(address, BUFFERS, Map.of())
                    .open("inline")
                    .seek(7)) {
                assertThat(next.take().step()).isEqualTo(7);
                next.seek(next.plan().required("steps").asLong());
                next.awaitEnd();
                next.bye();
            }
            assertThat(server.process().waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(server.process().exitValue()).as(server.printed()).isZero();
        }
    }

    /** Shortens the memory after the first batch, and returns the error that follows. */
    private static JsonNode shorten(WireClient client, long bytes) throws IOException {
        client.sendJson(WireClient.MEMORY, Map.of("kind", "file", "buffers", BUFFERS));
        Path path = Path.of(client.next().json().required("path").asText());
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            client.send(WireClient.SEEK, 1, 0, 0, 0);
            WireClient.Received received = client.next();
            assertThat(received.type()).isEqualTo(WireClient.BATCH);
            file.truncate(bytes);
            client.send(WireClient.RETURN, 0, 0, received.a(), 0);
            while (received.type() == WireClient.BATCH) {
                received = client.next();
            }
            assertThat(received.type()).isEqualTo(WireClient.ERROR);
            return received.json();
        }
    }
}
