package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.serve.WireClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A client of one rank of a served run, which finds its sink through a front door and receives batches inline. After a
 * failure it connects again and continues with its step. Used by one thread.
 */
public final class ServedRank implements AutoCloseable {
    private static final long WAIT_NANOS = 1_000_000;
    private static final long BUSY_NANOS = 2_000_000;
    private static final int INDEXES = 64;

    private final String frontDoor;
    private final @Nullable String token;
    private final int rank;
    private final int world;
    private @Nullable WireClient connection;
    private long next;

    /** The addresses to which the front door sent this client, the latest last. */
    private final List<List<String>> sentTo = new ArrayList<>();

    public ServedRank(String frontDoor, @Nullable String token, int rank, int world) {
        this.frontDoor = frontDoor;
        this.token = token;
        this.rank = rank;
        this.world = world;
    }

    /** Returns the addresses to which the front door has sent this client, one list for each time. */
    public List<List<String>> sentTo() {
        return sentTo;
    }

    /** Connects, through the front door and to its sink, and asks for the next step. Repeats that until it succeeds. */
    public void connect() throws IOException {
        close();
        while (connection == null) {
            try {
                WireClient connected = atSink();
                connected.sendJson(WireClient.MEMORY, Map.of("kind", "inline", "buffers", 3));
                assertThat(connected.next().type()).isEqualTo(WireClient.MAPPED);
                connected.send(WireClient.SEEK, 1, next, next == 0 ? 0 : 1, 0);
                connection = connected;
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (IOException e) { // the sink has died: the front door will know where its successor is
                sentTo.add(List.of("lost: " + e));
            }
        }
    }

    private WireClient atSink() throws IOException {
        WireClient client = join(frontDoor);
        WireClient.Received answer = client.next();
        if (answer.type() == WireClient.REDIRECT) {
            client.close();
            List<String> addresses = new ArrayList<>();
            answer.json().required("addresses").forEach(address -> addresses.add(address.asText()));
            sentTo.add(addresses);
            client = join(addresses.get(0));
            answer = client.next();
        }
        if (answer.type() == WireClient.ERROR) {
            client.close();
            throw new AssertionError("refused: " + answer.json());
        }
        assertThat(answer.type()).isEqualTo(WireClient.PLAN);
        return client;
    }

    private WireClient join(String address) throws IOException {
        WireClient client = WireClient.connect(address);
        Map<String, Object> values = new HashMap<>(Map.of("rank", rank, "world", world));
        if (token != null) {
            values.put("token", token);
        }
        try {
            client.join(values);
        } catch (IOException e) {
            client.close();
            throw e;
        }
        return client;
    }

    /**
     * Receives the next batch, trains on it, and returns the indexes of its samples; null at the end of the run. A lost
     * connection is opened again.
     */
    @Nullable
    public List<Long> step() throws IOException {
        while (true) {
            try {
                WireClient open = connection;
                if (open == null) {
                    throw new IOException("not connected");
                }
                WireClient.Received received = open.next();
                if (received.type() == WireClient.END) {
                    return null;
                }
                assertThat(received.type()).isEqualTo(WireClient.BATCH);
                assertThat(received.number()).as("the step").isEqualTo(next);
                ByteBuffer buffer = received.payload();
                List<Long> indexes = new ArrayList<>();
                for (int row = 0; row < buffer.getInt(20); row++) {
                    indexes.add(buffer.getLong(INDEXES + row * Long.BYTES));
                }
                next++;
                report(open, received);
                return indexes;
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (IOException e) {
                connect();
            }
        }
    }

    /** Returns the buffer of a batch and reports its step, unless the connection has been lost since the batch was sent. */
    private void report(WireClient open, WireClient.Received received) throws IOException {
        try {
            open.send(WireClient.RETURN, 0, 0, received.a(), 0);
            open.send(WireClient.STEP, 1, received.number(), WAIT_NANOS, BUSY_NANOS);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) { // the next step connects again
            sentTo.add(List.of("lost: " + e));
            close();
        }
    }

    /** Receives batches before this step, and returns the indexes of their samples. */
    public List<Long> until(long step) throws IOException {
        List<Long> all = new ArrayList<>();
        while (next < step) {
            all.addAll(Objects.requireNonNull(step(), "the end of the run"));
        }
        return all;
    }

    /** Receives the batches of several ranks before a step, each in a thread, because ranks wait for each other. */
    public static List<Long> all(List<ServedRank> ranks, long step) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(ranks.size());
        try {
            List<Callable<List<Long>>> work = ranks.stream()
                    .map(rank -> (Callable<List<Long>>) () -> rank.until(step))
                    .toList();
            List<Long> all = new ArrayList<>();
            for (Future<List<Long>> rank : threads.invokeAll(work)) {
                all.addAll(rank.get());
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Says that no more batches are needed. */
    public void bye() throws IOException {
        WireClient open = connection;
        if (open != null) {
            open.send(WireClient.BYE, 0, 0, 0, 0);
            assertThat(open.receive()).as("the end of the connection").isNull();
        }
        close();
    }

    @Override
    public void close() throws IOException {
        WireClient open = connection;
        connection = null;
        if (open != null) {
            open.close();
        }
    }
}
