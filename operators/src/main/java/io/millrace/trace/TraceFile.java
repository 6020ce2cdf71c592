package io.millrace.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The file of a recording, in Chrome's trace-event format, which Perfetto and chrome://tracing open. The file has an
 * entry for each process that took part, with a line for each of its threads and complete events ("X") with start and
 * duration in microseconds. A further process "network" has a span ("b", "e") for each micro-batch, from the event
 * that handed it on to the event that assembled it.
 */
public final class TraceFile {
    /** The file's name in the run's folder. */
    public static final String NAME = "trace.json";

    /**
     * The packer's event for handing a micro-batch on. The time from this event to {@link #ASSEMBLE} is the time in
     * transit.
     */
    public static final String PASS_ON = "pass on";

    /** The trainer's event for assembling a micro-batch. */
    public static final String ASSEMBLE = "assemble";

    /** The largest number of events in a file. An event needs about 100 bytes, so the file stays under 50 MB. */
    static final int MOST_EVENTS = 350_000;

    static final String NETWORK = "network";
    static final String MICRO_BATCH = "micro_batch";
    static final String RARE = "rare";
    static final String STRIDE = "stride";

    private static final int NANO_DIGITS = 3;

    private TraceFile() {}

    /**
     * Returns the file's content.
     *
     * @param most the largest number of events; with more, fewer windows are kept
     */
    static byte[] json(List<ProcessTrace> parts, int most) throws IOException {
        int every = parts.stream().mapToInt(ProcessTrace::stride).max().orElse(1);
        while (count(parts, every) > most && every < Windows.MOST_STRIDE) {
            every *= 2;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(bytes)) {
            json.writeStartObject();
            json.writeStringField("displayTimeUnit", "ms");
            json.writeObjectFieldStart("otherData");
            json.writeNumberField(STRIDE, every);
            json.writeEndObject();
            json.writeArrayFieldStart("traceEvents");
            events(json, parts, every);
            json.writeEndArray();
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }

    /** Returns the number of events, where each event of a micro-batch counts twice because of its span. */
    private static int count(List<ProcessTrace> parts, int every) {
        int count = 0;
        for (ProcessTrace part : parts) {
            for (Track track : part.tracks()) {
                for (Track.Event event : track.events(every)) {
                    count += event.mark() >= 0 ? 2 : 1;
                }
            }
        }
        return count;
    }

    private static void events(JsonGenerator json, List<ProcessTrace> parts, int every) throws IOException {
        Map<String, List<Track>> processes = new TreeMap<>();
        parts.forEach(part -> processes
                .computeIfAbsent(part.process(), any -> new ArrayList<>())
                .addAll(part.tracks()));
        int pid = 0;
        for (Map.Entry<String, List<Track>> process : processes.entrySet()) {
            pid++;
            metadata(json, "process_name", pid, 0, process.getKey());
            int tid = 0;
            for (Track track : process.getValue()) {
                tid++;
                metadata(json, "thread_name", pid, tid, track.thread());
                for (Track.Event event : inOrder(track.events(every))) {
                    complete(json, event, pid, tid);
                }
            }
        }
        network(json, parts, every, pid + 1);
    }

    /** Puts an enclosing event before the events within it. */
    private static List<Track.Event> inOrder(List<Track.Event> events) {
        return events.stream()
                .sorted(Comparator.comparingLong(Track.Event::beganNanos)
                        .thenComparing(
                                Comparator.comparingLong(Track.Event::nanos).reversed()))
                .toList();
    }

    /**
     * Writes a span for each micro-batch, from the event that handed it on to the event that assembled it. A
     * micro-batch that was handed on twice because of a restart has a span from the later of the two events.
     */
    private static void network(JsonGenerator json, List<ProcessTrace> parts, int every, int pid) throws IOException {
        Map<Long, List<Long>> handedOn = new HashMap<>();
        List<Track.Event> assembled = new ArrayList<>();
        for (ProcessTrace part : parts) {
            for (Track track : part.tracks()) {
                for (Track.Event event : track.events(every)) {
                    if (event.mark() >= 0 && event.name().equals(PASS_ON)) {
                        handedOn.computeIfAbsent(event.mark(), any -> new ArrayList<>())
                                .add(event.beganNanos());
                    } else if (event.mark() >= 0 && event.name().equals(ASSEMBLE)) {
                        assembled.add(event);
                    }
                }
            }
        }
        assembled.sort(Comparator.comparingLong(Track.Event::beganNanos));
        long id = 0;
        for (Track.Event event : assembled) {
            long from = handedOn.getOrDefault(event.mark(), List.of()).stream()
                    .filter(began -> began <= event.beganNanos())
                    .mapToLong(Long::longValue)
                    .max()
                    .orElse(-1);
            if (from < 0) {
                continue;
            }
            if (id == 0) {
                metadata(json, "process_name", pid, 0, NETWORK);
            }
            id++;
            async(json, "b", pid, id, from, event.mark());
            async(json, "e", pid, id, event.beganNanos(), event.mark());
        }
    }

    private static void complete(JsonGenerator json, Track.Event event, int pid, int tid) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", event.name());
        json.writeStringField("ph", "X");
        if (event.mark() == Windows.RARE) {
            json.writeStringField("cat", RARE);
        }
        json.writeNumberField("ts", BigDecimal.valueOf(event.beganNanos(), NANO_DIGITS));
        json.writeNumberField("dur", BigDecimal.valueOf(event.nanos(), NANO_DIGITS));
        json.writeNumberField("pid", pid);
        json.writeNumberField("tid", tid);
        if (event.mark() >= 0) {
            microBatch(json, event.mark());
        }
        json.writeEndObject();
    }

    private static void async(JsonGenerator json, String phase, int pid, long id, long nanos, long microBatch)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("name", NETWORK);
        json.writeStringField("cat", NETWORK);
        json.writeStringField("ph", phase);
        json.writeNumberField("id", id);
        json.writeNumberField("ts", BigDecimal.valueOf(nanos, NANO_DIGITS));
        json.writeNumberField("pid", pid);
        json.writeNumberField("tid", 0);
        microBatch(json, microBatch);
        json.writeEndObject();
    }

    private static void microBatch(JsonGenerator json, long number) throws IOException {
        json.writeObjectFieldStart("args");
        json.writeNumberField(MICRO_BATCH, number);
        json.writeEndObject();
    }

    private static void metadata(JsonGenerator json, String what, int pid, int tid, String name) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", what);
        json.writeStringField("ph", "M");
        json.writeNumberField("pid", pid);
        json.writeNumberField("tid", tid);
        json.writeObjectFieldStart("args");
        json.writeStringField("name", name);
        json.writeEndObject();
        json.writeEndObject();
    }
}
