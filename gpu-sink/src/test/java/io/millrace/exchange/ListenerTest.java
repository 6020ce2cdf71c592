package io.millrace.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ListenerTest {
    @Test
    void strangerAndWrongTokenAreRefusedAndTheRankIsAccepted() throws Exception {
        var threads = Executors.newCachedThreadPool();
        try (Listener listener = Listener.open(InetAddress.getLoopbackAddress())) {
            List<RankAddress> addresses = List.of(
                    new RankAddress(0, "127.0.0.1", listener.port(), "a", "h"),
                    new RankAddress(1, "127.0.0.1", 1, "b", "h"));
            RankAddresses all = RankAddresses.of(addresses);
            CompletableFuture<Map<Integer, Frames>> accepted = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return listener.accept(all, Set.of(1));
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    threads);
            try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
                stranger.getOutputStream().write("GET / HTTP/1.1\r\nA: bc\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(stranger.getInputStream().read())
                        .as("closed without an answer")
                        .isLessThan(0);
            }
            CompletableFuture<String> refused = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            Listener.connect(RankAddresses.of(addresses), 1, 0).close();
                            return "welcomed";
                        } catch (Exception e) {
                            return String.valueOf(e.getMessage());
                        }
                    },
                    threads);
            assertThat(refused.get(5, TimeUnit.MINUTES)).contains("cannot reach rank 0");

            try (Frames connected = Listener.connect(all, 1, 0)) {
                Map<Integer, Frames> found = accepted.get(5, TimeUnit.MINUTES);
                assertThat(found).containsOnlyKeys(1);
                connected.write(new long[] {5, 6});
                for (Frames rank1 : found.values()) {
                    assertThat(rank1.read()).containsExactly(5, 6);
                    rank1.close();
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
