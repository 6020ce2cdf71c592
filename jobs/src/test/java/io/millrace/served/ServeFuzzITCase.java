package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SmallData;
import io.millrace.run.ExitCode;
import io.millrace.serve.WireClient;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients that begin well and then send a message with errors. More of them: {@code -Dmillrace.serve.fuzz=100000}, others:
 * {@code -Dmillrace.serve.seed=2}.
 */
@Timeout(3600)
class ServeFuzzITCase {
    private static final Logger LOG = LoggerFactory.getLogger(ServeFuzzITCase.class);
    private static final int CASES = Integer.getInteger("millrace.serve.fuzz", 2000);
    private static final long SEED = Long.getLong("millrace.serve.seed", 1);
    private static final int HEADER = 32;
    private static final long[] EXTREMES = {
        0,
        1,
        -1,
        2,
        3,
        255,
        1 << 20,
        (1 << 20) + 1,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private final Random random = new Random(SEED);

    @TempDir
    Path folder;

    @Test
    void badMessagesEndTheirConnectionAndNothingElse() throws Exception {
        Path photos = SmallData.photos(folder.resolve("photos"), 40, 0, 1);
        ServedRun run = new ServedRun(
                SmallData.photosPipeline(folder.resolve("photos.yaml"), photos, folder.resolve("runs")), folder, 1);
        List<List<ServedClient.Row>> expected = run.expected();
        Map<String, Integer> answers = new TreeMap<>();
        for (int i = 0; i < CASES; i++) {
            answers.merge(attack(run), 1, Integer::sum);
        }
        LOG.info("{} cases: {}", CASES, answers);
        assertThat(answers).containsKeys("protocol", "step", "end");
        try (ServedClient client = next(run)) {
            client.seek(0);
            for (List<ServedClient.Row> rows : expected) {
                assertThat(client.take().rows()).isEqualTo(rows);
            }
            client.requireEnd(expected.size());
            client.bye();
        }
        JsonNode summary = run.end(ExitCode.OK);
        assertThat(summary.required("status").asText()).isEqualTo("finished");
    }

    /** Opens a client when the server has noticed the end of the one before. */
    private ServedClient next(ServedRun run) throws IOException {
        while (true) {
            ServedClient client = run.connect(0, 2 + random.nextInt(3));
            WireClient.Received answer = client.wire().next();
            if (answer.type() == WireClient.PLAN) {
                return client.open(answer, random.nextInt(4) == 0 ? "file" : "inline");
            }
            assertThat(answer.json().required("code").asText()).isEqualTo("rank_taken");
            client.close();
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
    }

    /** Sends one bad message and returns how the connection ended. */
    private String attack(ServedRun run) throws IOException {
        int begun = random.nextInt(4);
        if (begun == 0) {
            try (WireClient client = WireClient.connect(run.address())) {
                client.sendBytes(mutated(greeting()));
                client.shutdownOutput();
                return last(client);
            }
        }
        try (ServedClient client = next(run)) {
            if (begun > 1) {
                client.seek(random.nextInt(10)); // of 10 steps
            }
            if (begun > 2) {
                client.returned(client.next().buffer());
            }
            client.wire().sendBytes(mutated(valid(client)));
            client.wire().shutdownOutput();
            return last(client.wire());
        }
    }

    /** Reads to the end of the connection, and returns the code of the error or {@code end}. */
    private static String last(WireClient client) throws IOException {
        String code = "end";
        try {
            for (WireClient.Received received = client.receive(); received != null; received = client.receive()) {
                if (received.type() == WireClient.ERROR) {
                    code = received.json().required("code").asText();
                }
            }
        } catch (SocketException | EOFException ended) {
            return code; // the server has closed the connection before it had read all bytes, or in the midst of a
            // batch
        }
        return code;
    }

    /** Returns the first messages of a client of this user, who needs no token. */
    private static byte[] greeting() {
        byte[] hello = json(WireClient.HELLO, "{\"protocol\":3,\"nonce\":\"" + "0".repeat(32) + "\"}");
        byte[] proof = json(WireClient.PROOF, "{\"proof\":null}");
        byte[] join = json(
                WireClient.JOIN,
                "{\"client\":\"x\",\"rank\":0,\"world\":1,\"fingerprint\":null,\"transforms\":\"client\"}");
        return ByteBuffer.allocate(hello.length + proof.length + join.length)
                .put(hello)
                .put(proof)
                .put(join)
                .array();
    }

    /** Returns a message that is correct at some time. */
    private byte[] valid(ServedClient client) {
        return switch (random.nextInt(5)) {
            case 0 ->
                json(
                        WireClient.MEMORY,
                        "{\"kind\":\"memfd\",\"path\":\"/proc/1/fd/3\",\"bytes\":4096,\"buffers\":2,\"nonce\":\""
                                + "0".repeat(32) + "\"}");
            case 1 -> json(WireClient.MEMORY, "{\"kind\":\"inline\",\"buffers\":2}");
            case 2 -> header(WireClient.SEEK, client.generation() + 1, random.nextInt(13), 0, 0);
            case 3 -> header(WireClient.RETURN, 0, 0, random.nextInt(3), 0);
            default -> header(WireClient.STEP, client.generation(), random.nextInt(12), 1000, 1000);
        };
    }

    private static byte[] json(int type, String json) {
        byte[] payload = json.getBytes(StandardCharsets.UTF_8);
        byte[] message = Arrays.copyOf(header(type, 0, 0, 0, payload.length), HEADER + payload.length);
        message[2] = 1;
        System.arraycopy(payload, 0, message, HEADER, payload.length);
        return message;
    }

    private static byte[] header(int type, int generation, long number, long a, long b) {
        return ByteBuffer.allocate(HEADER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) type)
                .putShort((short) 0)
                .putInt(generation)
                .putLong(number)
                .putLong(a)
                .putLong(b)
                .array();
    }

    /** Returns the message with one to three errors. It is never BYE, which would end the run. */
    private byte[] mutated(byte[] message) {
        byte[] bytes = message.clone();
        for (int i = random.nextInt(3); i >= 0; i--) {
            bytes = mutatedOnce(bytes);
        }
        if (bytes.length >= 2 && bytes[0] == WireClient.BYE && bytes[1] == 0) {
            bytes[0] = (byte) random.nextInt(WireClient.BYE);
        }
        return bytes;
    }

    private byte[] mutatedOnce(byte[] bytes) {
        if (bytes.length == 0) {
            return bytes;
        }
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(6)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt(256);
            case 2 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 3 -> {
                return Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(64));
            }
            case 4 -> {
                int field = new int[] {8, 16, 24}[random.nextInt(3)];
                if (bytes.length >= HEADER) {
                    ByteBuffer.wrap(bytes)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(field, EXTREMES[random.nextInt(EXTREMES.length)]);
                }
            }
            default -> {
                if (bytes.length >= HEADER) {
                    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(4, (int)
                            EXTREMES[random.nextInt(EXTREMES.length)]);
                }
            }
        }
        return bytes;
    }
}
