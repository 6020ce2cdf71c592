package io.millrace.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFileTest {
    private static final long MILLI = 1_000_000;

    @TempDir
    Path run;

    private static ProcessTrace part(String process, Track... tracks) {
        return new ProcessTrace(process, List.of(tracks));
    }

    private static List<JsonNode> events(byte[] json, String phase) throws Exception {
        return StreamSupport.stream(
                        new ObjectMapper().readTree(json).path("traceEvents").spliterator(), false)
                .filter(event -> event.path("ph").asText().equals(phase))
                .toList();
    }

    @Test
    void nestedEventsOfNamedThreadsFollowTheFormat() throws Exception {
        Track track = new Track("worker-0 \"quoted\"", 0);
        track.add("transfer", 0, 1_000);
        track.add("forward", 1_000, 2_000);
        track.add("step", 1_000, 5_000);
        track.add("optimizer", 2_000, 5_000);
        byte[] json = TraceFile.json(List.of(part("one", track)), TraceFile.MOST_EVENTS);
        assertThat(TraceRules.check(json)).containsExactlyInAnyOrder("transfer", "forward", "step", "optimizer");
        assertThat(new String(json, StandardCharsets.UTF_8))
                .contains("\"name\":\"worker-0 \\\"quoted\\\"\"", "\"dur\":1.000");
    }

    @Test
    void manyThreadsOfManyEventsStayUnderFiftyMegabytes() throws Exception {
        List<ProcessTrace> parts = new ArrayList<>();
        for (int process = 0; process < 4; process++) {
            Track[] tracks = new Track[6];
            for (int i = 0; i < tracks.length; i++) {
                tracks[i] = new Track("worker-" + i, 0);
                for (long k = 0; k < 40_000; k++) {
                    // A busy trainer has ten events a second. These are the events of an hour.
                    long at = k * 100 * MILLI;
                    tracks[i].addForMicroBatch(
                            k, k % 2 == 0 ? TraceFile.PASS_ON : TraceFile.ASSEMBLE, at, at + 99 * MILLI);
                    tracks[i].add("a name of a transform that is rather long", at + 99 * MILLI, at + 100 * MILLI);
                }
            }
            parts.add(part("process " + process, tracks));
        }
        byte[] json = TraceFile.json(parts, TraceFile.MOST_EVENTS);
        assertThat(json.length).isBetween(1_000_000, 50_000_000);
        TraceRules.check(json);
    }

    @Test
    void transitOfAMicroBatchBetweenProcessesIsANetworkSpan() throws Exception {
        Track packer = new Track("pack", 0);
        Track trainer = new Track("train", 0);
        packer.addForMicroBatch(0, TraceFile.PASS_ON, 100 * MILLI, 101 * MILLI);
        packer.addForMicroBatch(64, TraceFile.PASS_ON, 200 * MILLI, 201 * MILLI);
        packer.addForMicroBatch(128, TraceFile.PASS_ON, 300 * MILLI, 301 * MILLI);
        trainer.addForMicroBatch(64, TraceFile.ASSEMBLE, 450 * MILLI, 451 * MILLI);
        trainer.addForMicroBatch(0, TraceFile.ASSEMBLE, 500 * MILLI, 501 * MILLI);
        trainer.add(TraceFile.ASSEMBLE, 1_000 * MILLI, 1_001 * MILLI);
        // The clock of this machine is late, so the time in transit is not known.
        trainer.addForMicroBatch(128, TraceFile.ASSEMBLE, 299 * MILLI, 299 * MILLI);

        byte[] json = TraceFile.json(List.of(part("a", packer), part("b", trainer)), TraceFile.MOST_EVENTS);

        TraceRules.check(json);
        assertThat(events(json, "b"))
                .extracting(event -> event.path("ts").asDouble())
                .containsExactly(200_000.0, 100_000.0);
        assertThat(events(json, "e"))
                .extracting(event -> event.path("ts").asDouble())
                .containsExactly(450_000.0, 500_000.0);
        assertThat(events(json, "X"))
                .extracting(event -> event.path("pid").asInt())
                .containsExactly(1, 1, 1, 2, 2, 2, 2);
    }

    @Test
    void readPartEqualsTheWrittenPart() throws Exception {
        Track track = new Track("thread", 0);
        for (long i = 0; i < 2 * Track.MOST_EVENTS; i++) {
            track.addForMicroBatch(i, TraceFile.PASS_ON, i * 10 * MILLI, i * 10 * MILLI + 17);
        }
        track.addRare("checkpoint", 1, 2);
        byte[] written = TraceFile.json(List.of(part("process", track)), TraceFile.MOST_EVENTS);
        Path file = Files.write(run.resolve("part.json"), written);
        ProcessTrace read = TraceReader.read(file);
        assertThat(read.stride()).isEqualTo(track.stride()).isGreaterThan(1);
        assertThat(TraceFile.json(List.of(read), TraceFile.MOST_EVENTS)).isEqualTo(written);
    }

    @Test
    void damagedPartIsNamedAndKept() throws Exception {
        Path folder = Files.createDirectories(run.resolve(TraceFolder.NAME));
        Path file = Files.writeString(folder.resolve("part-1.json"), "{\"traceEvents\":[{\"ph\":\"X\"");
        assertThatThrownBy(() -> TraceFolder.merge(run)).hasMessageContaining("part-1.json is damaged");
        assertThat(file).exists();
    }
}
