package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.serve.BufferField;
import io.millrace.serve.BufferReader;
import io.millrace.serve.WireClient;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A client of {@code serve} in this process, after docs/develop/serving.md. Used by one thread. */
public final class ServedClient implements AutoCloseable {
    /** The duration of each step that the client reports, in nanoseconds. */
    public static final long BUSY_NANOS = 2_000;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final WireClient wire;
    private final int buffers;
    private JsonNode plan = JSON.nullNode();
    private List<BufferField> fields = List.of();
    private ByteBuffer shared = ByteBuffer.allocate(0);
    private int generation;

    /** A row of a batch: its position in the run, the sample's index, its label and its image in hexadecimal digits. */
    public record Row(long position, long index, long label, String image) {}

    /**
     * A batch; its buffer is the client's until it is returned.
     *
     * @param columns the bytes of each field in hexadecimal digits, one text for each row
     */
    public record Batch(
            long step, int generation, int epoch, int planned, long firstPosition, int buffer, JsonNode columns) {
        /** Returns whether the only row is a padded one. */
        boolean isPadded() {
            return columns.required("__weight__").equals(JSON.createArrayNode().add("00000000"));
        }

        /** Returns the samples of a batch whose labels are numbers. */
        List<Row> rows() {
            List<Row> rows = new ArrayList<>();
            for (int row = 0; !isPadded() && row < columns.required("__index__").size(); row++) {
                rows.add(new Row(
                        number("__position__", row),
                        number("__index__", row),
                        number("label", row),
                        columns.required("image").get(row).asText()));
            }
            return rows;
        }

        /** Returns a number of a row. */
        long number(String field, int row) {
            return Long.reverseBytes(
                    Long.parseUnsignedLong(columns.required(field).get(row).asText(), 16));
        }
    }

    private ServedClient(WireClient wire, int buffers) {
        this.wire = wire;
        this.buffers = buffers;
    }

    /** Connects to the server, as a rank with a fingerprint or null. No answer has been read yet. */
    public static ServedClient connect(String address, int rank, int world, @Nullable JsonNode fingerprint, int buffers)
            throws IOException {
        Map<String, Object> join = new HashMap<>();
        join.put("rank", rank);
        join.put("world", world);
        join.put("client", "trainer " + rank);
        join.put("fingerprint", fingerprint);
        return connect(address, buffers, join);
    }

    /** Connects to the server with a JOIN of these values. No answer has been read yet. */
    public static ServedClient connect(String address, int buffers, Map<String, Object> join) throws IOException {
        ServedClient client = new ServedClient(WireClient.connect(address), buffers);
        client.wire.join(join);
        return client;
    }

    /** Reads the plan, and asks for memory of a kind: {@code file} or {@code inline}. */
    public ServedClient open(String kind) throws IOException {
        return open(wire.next(), kind);
    }

    /** Asks for memory after the answer to JOIN, which must be PLAN. */
    public ServedClient open(WireClient.Received answer, String kind) throws IOException {
        assertThat(answer.type()).as("%s", answer).isEqualTo(WireClient.PLAN);
        plan = answer.json();
        fields = List.of(JSON.convertValue(plan.required("fields"), BufferField[].class));
        wire.sendJson(WireClient.MEMORY, Map.of("kind", kind, "buffers", buffers));
        JsonNode mapped = wire.next().json();
        assertThat(mapped.required("kind").asText()).as("%s", mapped).isEqualTo(kind);
        if (kind.equals("file")) {
            Path path = Path.of(mapped.required("path").asText());
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                shared = file.map(FileChannel.MapMode.READ_WRITE, 0, file.size());
            }
            Files.delete(path);
        }
        return this;
    }

    public JsonNode plan() {
        return plan;
    }

    public WireClient wire() {
        return wire;
    }

    public int generation() {
        return generation;
    }

    /** Asks for the batches from a step on. */
    public ServedClient seek(long step) throws IOException {
        generation++;
        wire.send(WireClient.SEEK, generation, step, 0, 0);
        return this;
    }

    /** Continues with a step after an earlier connection was lost. */
    public ServedClient continueWith(long step) throws IOException {
        generation++;
        wire.send(WireClient.SEEK, generation, step, 1, 0);
        return this;
    }

    /** Returns the next batch of the latest seek; the buffers of earlier ones are returned. */
    public Batch next() throws IOException {
        while (true) {
            WireClient.Received received = wire.next();
            assertThat(received.type()).as("%s", text(received)).isIn(WireClient.BATCH, WireClient.END);
            if (received.generation() == generation) {
                assertThat(received.type()).isEqualTo(WireClient.BATCH);
                return batch(received);
            }
            if (received.type() == WireClient.BATCH) {
                returned((int) received.a());
            }
        }
    }

    /** Returns the next batch, after its buffer was returned and its step reported. */
    public Batch take() throws IOException {
        Batch batch = next();
        returned(batch.buffer());
        stepped(batch);
        return batch;
    }

    private static String text(WireClient.Received received) {
        byte[] payload = new byte[Math.min(received.payload().remaining(), 1000)];
        received.payload().duplicate().get(payload);
        return received + (received.type() == WireClient.BATCH ? "" : new String(payload, StandardCharsets.UTF_8));
    }

    private Batch batch(WireClient.Received received) {
        int buffer = (int) received.a();
        ByteBuffer bytes = (received.flags() & 1) != 0
                ? received.payload()
                : shared.slice(
                        Math.toIntExact(buffer * plan.required("buffer_bytes").asLong()), (int) received.b());
        JsonNode read = BufferReader.read(bytes, fields);
        assertThat(read.required("magic").asText()).isEqualTo("MRB1");
        assertThat(read.required("step").asLong()).isEqualTo(received.number());
        assertThat(read.required("generation").asInt()).isEqualTo(received.generation());
        return new Batch(
                received.number(),
                received.generation(),
                read.required("epoch").asInt(),
                read.required("planned").asInt(),
                read.required("position").asLong(),
                buffer,
                read.required("fields"));
    }

    public void returned(int buffer) throws IOException {
        wire.send(WireClient.RETURN, 0, 0, buffer, 0);
    }

    public void stepped(Batch batch) throws IOException {
        wire.send(WireClient.STEP, batch.generation(), batch.step(), 1_000, BUSY_NANOS);
    }

    /** Asserts that the run ends here with this number of steps. */
    public void requireEnd(long steps) throws IOException {
        WireClient.Received end = wire.next();
        assertThat(end.type()).as("%s", text(end)).isEqualTo(WireClient.END);
        assertThat(end.number()).isEqualTo(steps);
    }

    /** Waits for the end of the run, which the client has asked for; drops the batches of earlier seeks. */
    public void awaitEnd() throws IOException {
        WireClient.Received received = wire.next();
        while (received.generation() != generation) {
            assertThat(received.type()).as("%s", text(received)).isIn(WireClient.BATCH, WireClient.END);
            received = wire.next();
        }
        assertThat(received.type()).isEqualTo(WireClient.END);
    }

    /** Returns the error that the server answers with before it closes the connection. */
    public JsonNode error() throws IOException {
        WireClient.Received error = wire.next();
        assertThat(error.type()).as("%s", text(error)).isEqualTo(WireClient.ERROR);
        assertThat(wire.receive()).isNull();
        return error.json();
    }

    /** Returns the reason of the next WAIT message. */
    public String waitReason() throws IOException {
        WireClient.Received received = wire.receive();
        if (received == null) {
            throw new EOFException("the server has closed the connection");
        }
        assertThat(received.type()).as("%s", text(received)).isEqualTo(WireClient.WAIT);
        return received.json().required("reason").asText();
    }

    /** Needs no more batches. */
    public void bye() throws IOException {
        wire.send(WireClient.BYE, 0, 0, 0, 0);
        awaitClose();
    }

    private void awaitClose() throws IOException {
        while (wire.receive() != null) {
            // Batches and waits that the server sent before.
        }
        wire.close();
    }

    /** Ends the connection without BYE, once the server has read the reports: an abrupt end could lose the last. */
    public void vanish() throws IOException {
        wire.shutdownOutput();
        awaitClose();
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}
