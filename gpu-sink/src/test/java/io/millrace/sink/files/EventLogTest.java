package io.millrace.sink.files;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Comparisons of event files with the values that TensorBoard reads from such files. src/test/python/event_vectors.py
 * recorded these values.
 */
class EventLogTest {
    private static final Path RECORDED = Path.of("src/test/resources/io/millrace/sink/events");

    @TempDir
    Path folder;

    /**
     * Writes the files of a training that fails after step 4, and restarts from a checkpoint at step 3. The restarted
     * training continues to step 5 and an evaluation.
     */
    private void writeTwice() throws Exception {
        LongSupplier clock =
                LongStream.iterate(1_700_000_000_250L, millis -> millis + 500).iterator()::nextLong;
        try (EventLog log = EventLog.begin(folder, 0, clock)) {
            for (long step = 0; step < 5; step++) {
                log.add(step, values(step, 0.5));
            }
        }
        try (EventLog log = EventLog.begin(folder, 3, clock)) {
            for (long step = 3; step < 6; step++) {
                log.add(step, values(step, 0.25));
            }
            log.add(6, Map.of("accuracy", 0.75));
            log.add(300, Map.of("loss", 1e-7));
        }
    }

    private static Map<String, Double> values(long step, double starvation) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("loss", 2.0 / (step + 1));
        values.put("starvation", starvation);
        return values;
    }

    @Test
    void filesEqualByteForByteTheFilesThatTensorBoardHasRead() throws Exception {
        writeTwice();

        assertThat(EventFiles.names(folder)).hasSize(2).isEqualTo(EventFiles.names(RECORDED));
        for (String name : EventFiles.names(folder)) {
            assertThat(folder.resolve(name)).hasSameBinaryContentAs(RECORDED.resolve(name));
        }
    }

    @Test
    void tensorBoardSawEachStepOnceWithTheValuesAfterTheRestart() throws Exception {
        Map<String, List<EventCurves.Point>> seen = new TreeMap<>();
        JsonNode recorded =
                new ObjectMapper().readTree(RECORDED.resolve("tensorboard.json").toFile());
        recorded.required("scalars").properties().forEach(curve -> {
            List<EventCurves.Point> points = new ArrayList<>();
            curve.getValue()
                    .forEach(point -> points.add(new EventCurves.Point(
                            point.required("step").asLong(),
                            point.required("value").asDouble())));
            seen.put(curve.getKey(), points);
        });

        assertThat(seen).isEqualTo(EventCurves.read(RECORDED));
        assertThat(seen.get("loss")).extracting(EventCurves.Point::step).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 300L);
        assertThat(seen.get("starvation"))
                .extracting(EventCurves.Point::value)
                .containsExactly(0.5, 0.5, 0.5, 0.25, 0.25, 0.25);
        assertThat(recorded.required("wall_times").get(0).asDouble()).isBetween(1_700_000_000.0, 1_700_000_010.0);
    }

    @Test
    void flushedEventsAreInTheFileAndUnflushedOnesAreNot() throws Exception {
        try (EventLog log = EventLog.begin(folder, 0, System::currentTimeMillis)) {
            assertThat(EventCurves.read(folder)).isEmpty();
            log.add(0, values(0, 0));
            log.flush();
            assertThat(EventCurves.read(folder).keySet()).containsExactly("loss", "starvation");
            long before = Files.size(folder.resolve(EventFiles.names(folder).get(0)));
            log.add(1, Map.of());
            log.flush();
            assertThat(Files.size(folder.resolve(EventFiles.names(folder).get(0))))
                    .isEqualTo(before);
        }
    }
}
