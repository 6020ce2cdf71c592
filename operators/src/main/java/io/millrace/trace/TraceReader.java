package io.millrace.trace;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The reader of a file that {@link TraceFile} wrote for one process. */
final class TraceReader {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
    private static final int NANO_DIGITS = 3;

    private final Map<String, String> names = new HashMap<>();
    private final Map<Integer, Track> tracks = new HashMap<>();
    private final List<Track> inOrder = new ArrayList<>();
    private String process = "";
    private int stride = 1;

    private TraceReader() {}

    /**
     * Reads a part.
     *
     * @throws IOException when the file is not a part of a recording; the message contains its path
     */
    static ProcessTrace read(Path file) throws IOException {
        TraceReader reader = new TraceReader();
        try (JsonParser json = JSON.createParser(file.toFile())) {
            while (json.nextToken() != null) {
                if (json.currentToken() != JsonToken.FIELD_NAME) {
                    continue;
                }
                switch (json.currentName()) {
                    case TraceFile.STRIDE -> reader.stride = json.nextIntValue(1);
                    case "traceEvents" -> reader.events(json);
                    default -> {} // the fields within it come next
                }
            }
        } catch (IOException | RuntimeException e) {
            throw new IOException(file + " is damaged: " + e.getMessage(), e);
        }
        reader.inOrder.forEach(track -> track.restoreStride(reader.stride));
        return new ProcessTrace(reader.process, reader.inOrder);
    }

    private void events(JsonParser json) throws IOException {
        if (json.nextToken() != JsonToken.START_ARRAY) {
            throw new IOException("expected a list of events, found " + json.currentToken());
        }
        while (json.nextToken() == JsonToken.START_OBJECT) {
            JsonNode event = JSON.readTree(json);
            int tid = event.path("tid").asInt();
            switch (event.path("ph").asText()) {
                case "M" ->
                    name(
                            event.path("name").asText(),
                            tid,
                            event.at("/args/name").asText());
                case "X" -> track(tid).store(event(event));
                default -> {} // the network's spans follow from the events at both ends
            }
        }
    }

    private Track track(int tid) throws IOException {
        Track track = tracks.get(tid);
        if (track == null) {
            throw new IOException("an event belongs to thread " + tid + ", which has no name");
        }
        return track;
    }

    private void name(String what, int tid, String name) {
        if (what.equals("thread_name")) {
            Track track = new Track(name, 0);
            tracks.put(tid, track);
            inOrder.add(track);
        } else if (process.isEmpty()) {
            process = name;
        }
    }

    private Track.Event event(JsonNode event) {
        JsonNode microBatch = event.at("/args/" + TraceFile.MICRO_BATCH);
        long mark = microBatch.isNumber()
                ? microBatch.asLong()
                : event.path("cat").asText().equals(TraceFile.RARE) ? Windows.RARE : Windows.UNMARKED;
        String name = event.path("name").asText();
        return new Track.Event(
                names.computeIfAbsent(name, same -> same), nanos(event, "ts"), nanos(event, "dur"), mark);
    }

    private static long nanos(JsonNode event, String field) {
        BigDecimal micros = event.required(field).decimalValue();
        return micros.movePointRight(NANO_DIGITS).longValueExact();
    }
}
