package io.millrace.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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

    @Test
    void silentAndSlowStrangersDoNotDelayTheRankAndTheirNumberIsBounded() throws Exception {
        var threads = Executors.newCachedThreadPool();
        List<Socket> strangers = new ArrayList<>();
        try (Listener listener = Listener.open(InetAddress.getLoopbackAddress())) {
            RankAddresses all = RankAddresses.of(List.of(
                    new RankAddress(0, "127.0.0.1", listener.port(), "a", "h"),
                    new RankAddress(1, "127.0.0.1", 1, "b", "h")));
            var accepted = threads.submit(() -> listener.accept(all, Set.of(1)));
            for (int i = 0; i < 3 * Arrivals.MOST; i++) {
                Socket stranger = new Socket(InetAddress.getLoopbackAddress(), listener.port());
                strangers.add(stranger);
                stranger.getOutputStream().write(new byte[i % 24]); // a greeting has 24 bytes
            }
            assertThat(strangers.get(0).getInputStream().read())
                    .as("the oldest one is closed for another one")
                    .isLessThan(0);

            long began = System.nanoTime();
            try (Frames connected = Listener.connect(all, 1, 0)) {
                assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(30));
                for (Frames rank1 : accepted.get(5, TimeUnit.MINUTES).values()) {
                    connected.write(new long[] {7});
                    assertThat(rank1.read()).containsExactly(7);
                    rank1.close();
                }
            }
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
            threads.shutdownNow();
        }
    }

    @Test
    void strangerThatSendsOneByteAfterAnotherIsClosedAfterItsTime() throws Exception {
        var threads = Executors.newCachedThreadPool();
        Listener listener = Listener.open(InetAddress.getLoopbackAddress());
        try {
            RankAddresses all = RankAddresses.of(List.of(
                    new RankAddress(0, "127.0.0.1", listener.port(), "a", "h"),
                    new RankAddress(1, "127.0.0.1", 1, "b", "h")));
            var accepted = threads.submit(() -> listener.accept(all, Set.of(1)));
            try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
                stranger.getOutputStream().write(0x4d);
                stranger.setSoTimeout(30_000);
                assertThat(stranger.getInputStream().read()).isLessThan(0);
            }
            listener.close();
            assertThatThrownBy(() -> accepted.get(5, TimeUnit.MINUTES)).hasMessageContaining("found []");
        } finally {
            listener.close();
            threads.shutdownNow();
        }
    }

    @Test
    void nameOfTheSharedFileShowsNothingOfTheToken() {
        String token = "0123456789abcdef0123456789abcdef";
        String name =
                SharedFile.path(token, SharedFile.Place.MEMORY).getFileName().toString();
        assertThat(name).matches("millrace-[0-9a-f]{32}");
        for (int i = 0; i + 6 <= token.length(); i++) {
            assertThat(name).doesNotContain(token.substring(i, i + 6));
        }
    }
}
