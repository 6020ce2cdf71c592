package io.millrace.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.JavaProgram;
import io.millrace.exchange.Joined.TransportKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests with ranks that are real processes. For measurements, {@code -Dexchange.floats=11180000} sets the number of
 * floats of ResNet-18.
 */
class ExchangeE2E {
    private static final int FLOATS = Integer.getInteger("exchange.floats", 300_000);
    private static final Duration KILL_DETECTION_TIMEOUT = Duration.ofSeconds(5);

    private record Peer(Process process, BufferedReader out) {
        String line(String beginning) throws IOException {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith(beginning)) {
                    return line.substring(beginning.length()).strip();
                }
            }
            throw new IOException("the process ended without '" + beginning + "'");
        }
    }

    private final List<Peer> peers = new ArrayList<>();

    @AfterEach
    void endProcesses() throws InterruptedException {
        for (Peer peer : peers) {
            peer.process.destroyForcibly().waitFor();
        }
    }

    private void start(TransportKind way, int ranks, int averages) throws IOException {
        StringBuilder line = new StringBuilder("00112233445566778899aabbccddeeff");
        for (int rank = 0; rank < ranks; rank++) {
            Process process = new ProcessBuilder(JavaProgram.command(
                            List.of(), ExchangePeer.class, way.name(), "" + rank, "" + FLOATS, "" + averages))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            peers.add(new Peer(
                    process,
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))));
        }
        for (Peer peer : peers) {
            line.append(' ').append(peer.line("port"));
        }
        line.append('\n');
        for (Peer peer : peers) {
            peer.process.getOutputStream().write(line.toString().getBytes(StandardCharsets.UTF_8));
            peer.process.getOutputStream().flush();
        }
    }

    @Test
    void processesOfOneAndOfSeveralHostsGetTheSameBitsAsThreads() throws Exception {
        Set<String> checksums = new HashSet<>();
        for (TransportKind way : List.of(TransportKind.SHARED_MEMORY, TransportKind.RING)) {
            start(way, 3, 5);
            for (Peer peer : peers) {
                checksums.add(peer.line("checksum"));
                System.out.println(way + ": " + FLOATS + " floats, median " + peer.line("median"));
            }
            endProcesses();
            peers.clear();
        }
        try (Joined joined = new Joined(TransportKind.THREADS, 3)) {
            List<ByteBuffer> blocks = List.of(
                    ExchangePeer.values(0, FLOATS), ExchangePeer.values(1, FLOATS), ExchangePeer.values(2, FLOATS));
            for (int step = 0; step < 5; step++) {
                int batch = step;
                long began = System.nanoTime();
                joined.all((replicas, rank) -> {
                    replicas.ready(batch, 1);
                    replicas.average(List.of(blocks.get(rank)));
                    return rank;
                });
                System.out.printf(
                        "%s: %d floats, %.1f ms%n", TransportKind.THREADS, FLOATS, (System.nanoTime() - began) / 1e6);
            }
            blocks.forEach(block -> checksums.add("" + ExchangePeer.checksum(block)));
        }

        assertThat(checksums).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SHARED_MEMORY", "RING"})
    void killedRankEndsTheOthersWithAnErrorMessage(TransportKind way) throws Exception {
        start(way, 2, Integer.MAX_VALUE);
        peers.get(0).line("begun");
        peers.get(1).line("begun");
        peers.get(1).process.destroyForcibly();
        long killed = System.nanoTime();

        assertThat(peers.get(0).line("failed")).contains("rank 1");
        assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(KILL_DETECTION_TIMEOUT);
        assertThat(peers.get(0).process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    }
}
