package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.batch.BatchSpec;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory that a client of a real endpoint gets. */
@Timeout(60)
class ClientBuffersTest {
    private static final int RECOMMENDED = 4;

    /** A layout whose buffers have somewhat more than 2 MiB. */
    private static final BufferLayout LAYOUT = BufferLayout.of(
            new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(1024, 1024, 1)))), 2);

    /** A sink whose clients get buffers, or an error. */
    private record Sink(Handles handles, @Nullable Error failure) implements ServeEndpoint.Sink {
        @Override
        public Client.Listener accept(Client client) {
            client.send(MessageType.PLAN, Map.of());
            return new Client.Listener() {
                @Override
                public void memory(MemoryWish wish) throws IOException {
                    if (failure != null) {
                        throw failure;
                    }
                    ClientBuffers buffers = ClientBuffers.offer(client, wish, LAYOUT, RECOMMENDED);
                    if (buffers != null) {
                        handles.add(buffers.memory());
                    }
                }

                @Override
                public void seek(Seek seek) {}

                @Override
                public void returned(long buffer) {}

                @Override
                public void stepped(int generation, long step, long waitNanos, long busyNanos) {}

                @Override
                public void done() {}

                @Override
                public void gone(@Nullable String reason) {}
            };
        }
    }

    /** Returns the last answer of an endpoint to some wishes. */
    private static JsonNode answer(@Nullable Error failure, List<Map<String, Object>> wishes) throws IOException {
        ServeSpec spec = new ServeSpec(
                "run",
                ServeSpec.Network.LOOPBACK,
                "0123456789abcdef0123456789abcdef",
                1,
                "{}",
                ServeSpec.Stream.TRAINING,
                null);
        try (Handles handles = new Handles();
                ServeEndpoint endpoint = ServeEndpoint.open(spec, new ListenAddress("127.0.0.1", 0, null))) {
            endpoint.join(0, new Sink(handles, failure));
            try (WireClient client = WireClient.connect(endpoint.addresses().get(0))) {
                client.join(Map.of());
                JsonNode answer = client.next().json();
                for (Map<String, Object> wish : wishes) {
                    client.sendJson(WireClient.MEMORY, wish);
                    answer = client.next().json();
                }
                return answer;
            }
        }
    }

    @Test
    void buffersInlineAreBoundedWithAReasonAndFewerAreGiven() throws Exception {
        Map<String, Object> tooMany = Map.of("kind", "inline", "buffers", 1024);
        JsonNode refused = answer(null, List.of(tooMany));
        assertThat(refused.required("kind").asText()).isEqualTo("refused");
        assertThat(refused.required("reason").asText())
                .isEqualTo("the client wishes for 1024 buffers of " + LAYOUT.fixedBytes()
                        + " bytes inline, which are memory of the server: expected at most 511 buffers");
        assertThat(answer(null, List.of(tooMany, Map.of("kind", "inline", "buffers", RECOMMENDED)))
                        .required("kind")
                        .asText())
                .isEqualTo("inline");
    }

    @ParameterizedTest
    @CsvSource({
        "4096, 4, 262144", // 1 GiB
        "1073741824, 4, 4", // the recommended buffers
        "2147479552, 2, 3",
    })
    void recommendedBuffersAreAllowedWhateverTheirSize(long bufferBytes, int recommended, long most) {
        assertThat(ClientBuffers.mostInline(bufferBytes, recommended)).isEqualTo(most);
    }

    @Test
    void clientHearsThatTheServerHasNoMemoryLeft() throws Exception {
        JsonNode error = answer(
                new OutOfMemoryError("Cannot reserve 5 bytes"),
                List.of(Map.of("kind", "inline", "buffers", RECOMMENDED)));
        assertThat(error.required("code").asText()).isEqualTo("memory");
        assertThat(error.required("message").asText())
                .isEqualTo("the server has no memory left for this client: Cannot reserve 5 bytes");
    }
}
