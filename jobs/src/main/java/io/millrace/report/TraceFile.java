package io.millrace.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.millrace.metrics.Track;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A recording in Chrome's trace-event format, which Perfetto and chrome://tracing open: one process, a line for each thread,
 * complete events ("X") with their beginning and duration in microseconds.
 */
public final class TraceFile {
    /** Its name in the run's folder. */
    public static final String NAME = "trace.json";

    /** Some 100 bytes each: the file stays under 50 MB. */
    static final int MOST_EVENTS = 350_000;

    private static final int PROCESS = 1;
    private static final int NANO_DIGITS = 3;

    private TraceFile() {}

    /** The file's content; where there are too many events, that of fewer windows. */
    public static byte[] json(List<Track> tracks) throws IOException {
        int every = tracks.stream().mapToInt(Track::stride).max().orElse(1);
        List<List<Track.Event>> events = events(tracks, every);
        while (events.stream().mapToInt(List::size).sum() > MOST_EVENTS && every < 1 << 20) {
            every *= 2;
            events = events(tracks, every);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(bytes)) {
            json.writeStartObject();
            json.writeStringField("displayTimeUnit", "ms");
            json.writeArrayFieldStart("traceEvents");
            metadata(json, "process_name", 0, "millrace");
            for (int i = 0; i < tracks.size(); i++) {
                metadata(json, "thread_name", i + 1, tracks.get(i).thread());
                for (Track.Event event : events.get(i)) {
                    complete(json, event, i + 1);
                }
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }

    /** An enclosing event before those within it. */
    private static List<List<Track.Event>> events(List<Track> tracks, int every) {
        List<List<Track.Event>> all = new ArrayList<>();
        for (Track track : tracks) {
            all.add(track.events(every).stream()
                    .sorted(Comparator.comparingLong(Track.Event::beganNanos)
                            .thenComparing(
                                    Comparator.comparingLong(Track.Event::nanos).reversed()))
                    .toList());
        }
        return all;
    }

    private static void complete(JsonGenerator json, Track.Event event, int thread) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", event.name());
        json.writeStringField("ph", "X");
        json.writeNumberField("ts", BigDecimal.valueOf(event.beganNanos(), NANO_DIGITS));
        json.writeNumberField("dur", BigDecimal.valueOf(event.nanos(), NANO_DIGITS));
        json.writeNumberField("pid", PROCESS);
        json.writeNumberField("tid", thread);
        json.writeEndObject();
    }

    private static void metadata(JsonGenerator json, String what, int thread, String name) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", what);
        json.writeStringField("ph", "M");
        json.writeNumberField("pid", PROCESS);
        json.writeNumberField("tid", thread);
        json.writeObjectFieldStart("args");
        json.writeStringField("name", name);
        json.writeEndObject();
        json.writeEndObject();
    }
}
