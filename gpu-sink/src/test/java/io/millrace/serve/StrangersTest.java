package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.device.JavaProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Connections that never show the token, to a server with a heap of 48 MB. By hand with more of them:
 * {@code mvn -B -o test -pl gpu-sink -am -Dtest=StrangersTest -Dmillrace.strangers=100000
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
class StrangersTest {
    private static final int CONNECTIONS = Integer.getInteger("millrace.strangers", 600);
    private static final int ROUNDS = 10;

    private static final int ATTACKERS = 5;

    /** The connections that the attackers keep open. */
    private static final int OPEN = 400;

    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    /** A server that prints its address, and for each line of input its memory after a collection. */
    static final class Server {
        private Server() {}

        public static void main(String[] arguments) throws IOException {
            PrintStream out = System.out;
            ServeSpec spec =
                    new ServeSpec("run", ServeSpec.Network.LOOPBACK, TOKEN, 1, "{}", ServeSpec.Stream.TRAINING, null);
            try (ServeEndpoint endpoint = ServeEndpoint.open(spec, new ListenAddress("127.0.0.1", 0, null))) {
                endpoint.join(0, client -> {
                    client.send(MessageType.PLAN, Map.of("rank", client.join().rank()));
                    return new Silent();
                });
                out.println(endpoint.addresses().get(1));
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                while (in.readLine() != null) {
                    out.println(JSON.writeValueAsString(memory()));
                }
            }
        }

        private static Map<String, Long> memory() {
            System.gc();
            long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .mapToLong(BufferPoolMXBean::getMemoryUsed)
                    .sum();
            return Map.of(
                    "heap",
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                    "direct",
                    direct,
                    "threads",
                    (long) ManagementFactory.getThreadMXBean().getThreadCount());
        }
    }

    /** A listener that needs nothing. */
    private static final class Silent implements Client.Listener {
        @Override
        public void memory(MemoryWish wish) {}

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
    }

    private record Memory(long heap, long direct, long threads) {}

    private static Memory memory(Process server, BufferedReader printed) throws IOException {
        server.outputWriter(StandardCharsets.UTF_8).append('\n').flush();
        return JSON.readValue(String.valueOf(printed.readLine()), Memory.class);
    }

    @Test
    @Timeout(3600)
    void strangersCostLittleMemoryAndKeepNoClientAway() throws Exception {
        Path log = folder.resolve("log");
        Process server = new ProcessBuilder(
                        JavaProgram.command(List.of("-Xmx48m", "-XX:MaxDirectMemorySize=8m"), Server.class))
                .redirectError(log.toFile())
                .start();
        Deque<SocketChannel> open = new ConcurrentLinkedDeque<>();
        try (BufferedReader printed = server.inputReader(StandardCharsets.UTF_8)) {
            String address = String.valueOf(printed.readLine());
            int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
            Memory before = memory(server, printed);
            for (int round = 1; round <= ROUNDS; round++) {
                attack(port, round, open);
                try (WireClient client = WireClient.connect(address)) {
                    client.join(Map.of("token", TOKEN));
                    assertThat(client.next().type()).isEqualTo(WireClient.PLAN);
                }
                Memory now = memory(server, printed);
                System.out.println("after " + round * (CONNECTIONS / ROUNDS) + " connections: " + now);
                assertThat(now.heap - before.heap).isLessThan(8 << 20);
                assertThat(now.direct).isLessThan(4 << 20);
                assertThat(now.threads - before.threads).isLessThanOrEqualTo(Strangers.MOST + 8);
            }
            assertThat(Files.readString(log)).doesNotContain("OutOfMemoryError");
            assertThat(Files.size(log)).as("the log").isLessThan(1 << 20);
        } finally {
            for (SocketChannel channel : open) {
                channel.close();
            }
            server.destroyForcibly().waitFor();
        }
    }

    /** Opens the connections of a round on several threads. */
    private static void attack(int port, int round, Deque<SocketChannel> open) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(ATTACKERS);
        try {
            List<Future<?>> attackers = new ArrayList<>();
            for (int i = 0; i < ATTACKERS; i++) {
                Random random = new Random(ATTACKERS * round + i);
                attackers.add(threads.submit(() -> {
                    for (int nth = 0; nth < CONNECTIONS / ROUNDS / ATTACKERS; nth++) {
                        attack(port, random, open);
                    }
                    return null;
                }));
            }
            for (Future<?> attacker : attackers) {
                attacker.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Opens a connection, sends something on it, and either closes it or keeps it open for some time. */
    private static void attack(int port, Random random, Deque<SocketChannel> open) throws IOException {
        SocketChannel channel = SocketChannel.open();
        // Each address of the loopback interface has ports of its own.
        channel.bind(new InetSocketAddress(
                InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) (2 + random.nextInt(250))}), 0));
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.configureBlocking(false); // what the server does not read is dropped
        try {
            channel.write(ByteBuffer.wrap(bytes(random)));
        } catch (IOException e) {
            assertThat(e)
                    .as("the server has closed the connection")
                    .hasMessageMatching("Connection reset.*|Broken pipe");
        }
        if (random.nextInt(4) == 0) {
            channel.close();
            return;
        }
        open.add(channel);
        SocketChannel oldest = open.size() > OPEN ? open.poll() : null;
        if (oldest != null) {
            oldest.close();
        }
    }

    private static byte[] bytes(Random random) {
        String json =
                switch (random.nextInt(4)) {
                    case 0 -> "{\"protocol\": 3, \"nonce\": \"" + "0".repeat(32) + "\"}";
                    case 1 -> "{\"client\": \"" + "x".repeat(1 << random.nextInt(21));
                    case 2 -> "{\"a\": " + "[".repeat(100_000);
                    default -> "";
                };
        int announced = random.nextInt(4) == 0 ? 1 << 14 : json.length();
        byte[] garbage = new byte[random.nextInt(200)];
        random.nextBytes(garbage);
        return switch (random.nextInt(5)) {
            case 0 -> new byte[0];
            case 1 -> garbage;
            default -> message(WireClient.HELLO, announced, json, proof(random));
        };
    }

    /** Returns what a stranger may send after HELLO: nothing, a wrong proof, or one that never ends. */
    private static byte[] proof(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> new byte[0];
            case 1 -> message(WireClient.PROOF, 100, "{\"proof\": \"" + "0".repeat(64) + "\"}", new byte[0]);
            default -> message(WireClient.PROOF, 1 << 14, "{\"proof\": \"" + "0".repeat(1 << 13), new byte[0]);
        };
    }

    private static byte[] message(int type, int announced, String json, byte[] more) {
        return ByteBuffer.allocate(32 + json.length() + more.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) type)
                .putShort((short) 1)
                .putInt(0)
                .putLong(0)
                .putLong(0)
                .putLong(announced)
                .put(json.getBytes(StandardCharsets.US_ASCII))
                .put(more)
                .array();
    }
}
