package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.run.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The delivery of a run to clients in this process, compared with a preview of the same pipeline. */
class ServeITCase extends ServedPhotos {
    private static final Logger LOG = LoggerFactory.getLogger(ServeITCase.class);

    private static void requireSummary(JsonNode summary, String status, long steps, long samples) {
        assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo(status);
        assertThat(summary.required("steps").asLong()).as("%s", summary).isEqualTo(steps);
        assertThat(summary.required("samples").asLong()).as("%s", summary).isEqualTo(samples);
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", "inline"})
    void wholeRunHasTheRowsOfThePreviewWithoutBadSamples(String kind) throws Exception {
        ServedRun run = serve(1);
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient client = run.client(0, kind).seek(0)) {
            assertThat(client.plan().required("steps").asInt()).isEqualTo(STEPS);
            for (int step = 0; step < STEPS; step++) {
                ServedClient.Batch batch = client.take();
                assertThat(batch.step()).isEqualTo(step);
                assertThat(batch.epoch()).isEqualTo(step / (STEPS / 2));
                assertThat(batch.planned()).isEqualTo(step % (STEPS / 2) == 5 ? 1 : 8);
                assertThat(batch.rows()).isEqualTo(expected.get(step));
            }
            client.requireEnd(STEPS);
            client.bye();
        }
        JsonNode summary = run.end(ExitCode.OK);
        requireSummary(summary, "finished", STEPS, 2 * PHOTOS);
        assertThat(summary.required("quarantined").asInt()).isEqualTo(BAD);
        assertThat(summary.required("quarantined_rows").asInt()).isEqualTo(2 * BAD);
        assertThat(Path.of(run.address().substring("unix:".length())).getParent())
                .doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void ranksTogetherHaveTheRowsOfEachStepAtAnyWorld(int world) throws Exception {
        ServedRun run = serve(world);
        List<List<ServedClient.Row>> expected = run.expected();
        List<ServedClient> clients = new ArrayList<>();
        for (int rank = 0; rank < world; rank++) {
            clients.add(run.client(rank, rank % 2 == 0 ? "file" : "inline"));
            assertThat(clients.get(rank).plan().required("batch").asInt()).isEqualTo(8 / world);
        }
        for (ServedClient client : clients) {
            client.seek(0);
        }
        for (int step = 0; step < STEPS; step++) {
            List<ServedClient.Row> rows = new ArrayList<>();
            for (ServedClient client : clients) {
                rows.addAll(client.take().rows());
            }
            rows.sort(Comparator.comparing(ServedClient.Row::position));
            assertThat(rows).as("step %d", step).isEqualTo(expected.get(step));
        }
        for (ServedClient client : clients) {
            client.requireEnd(STEPS);
            client.bye();
        }
        JsonNode summary = run.end(ExitCode.OK);
        assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
        assertThat(summary.required("samples").asLong()).as("%s", summary).isEqualTo(2 * PHOTOS);
        assertThat(summary.required("ranks")).hasSize(world);
    }

    @Test
    void seekContinuesAtAnyStepAlsoAfterTheEndAndFarAway() throws Exception {
        ServedRun run = serve(1);
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient beyond = run.client(0, "file").seek(STEPS + 1)) {
            assertThat(beyond.error().toString())
                    .contains("\"step\"", "asks for step 13, but the run has the steps 0 to 11");
        }
        try (ServedClient client = run.client(0, "file")) {
            for (int step : new int[] {0, 7, 3, 11, 0, 0, 11}) {
                requireFast(client, step);
                assertThat(client.take().rows()).isEqualTo(expected.get(step));
            }
            client.requireEnd(STEPS);
            requireFast(client, 10);
            assertThat(client.take().rows()).isEqualTo(expected.get(10));
            assertThat(client.take().rows()).isEqualTo(expected.get(11));
            client.requireEnd(STEPS);
            client.seek(STEPS).requireEnd(STEPS);
            client.bye();
        }
        requireSummary(run.end(ExitCode.OK), "finished", 9, expected(expected, 0, 7, 3, 11, 0, 0, 11, 10, 11));
    }

    private static long expected(List<List<ServedClient.Row>> expected, int... steps) {
        long rows = 0;
        for (int step : steps) {
            rows += expected.get(step).size();
        }
        return rows;
    }

    /** Asks for a step and requires its batch within 3 s. The batch is not taken. */
    private static void requireFast(ServedClient client, long step) throws IOException {
        long began = System.nanoTime();
        client.seek(step);
        ServedClient.Batch batch = client.next();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        LOG.info("the batch of step {} came after {} ms", step, millis);
        assertThat(batch.step()).isEqualTo(step);
        assertThat(millis).isLessThan(3000);
        client.returned(batch.buffer());
        client.seek(step);
    }

    @Test
    void longRunDeliversThePositionsBeyondTenToTheTen() throws Exception {
        ServedRun run = serve(1, "dataset.epochs=300000000");
        long far = 10_000_000_000L / (PHOTOS + BAD) * 6 + 6;
        try (ServedClient client = run.client(0, "file").seek(0)) {
            List<ServedClient.Row> first = client.take().rows();
            requireFast(client, far);
            ServedClient.Batch batch = client.take();
            assertThat(batch.firstPosition()).isGreaterThan(10_000_000_000L);
            assertThat(batch.rows()).isNotEmpty().allSatisfy(row -> assertThat(row.position())
                    .isBetween(batch.firstPosition(), batch.firstPosition() + 7));
            requireFast(client, 0);
            assertThat(client.take().rows()).isEqualTo(first);
            run.finish(client);
        }
    }

    @Test
    void stateOfAnotherPlanIsRefusedWithTheKeys() throws Exception {
        ServedRun run = serve(1);
        ObjectNode same;
        try (ServedClient client = run.client(0, "inline")) {
            same = client.plan().required("fingerprint").deepCopy();
        }
        ObjectNode other = same.deepCopy().put("order.seed", "7").put("batch.size", "9");
        try (ServedClient refused = ServedClient.connect(run.address(), 0, 1, other, 3)) {
            JsonNode error = refused.error();
            assertThat(error.required("code").asText()).isEqualTo("plan_differs");
            assertThat(error.required("message").asText())
                    .contains("order.seed", "7", "batch.size", "8", "9")
                    .doesNotContain("dataset.path");
        }
        try (ServedClient again = ServedClient.connect(run.address(), 0, 1, same, 3)) {
            run.finish(again.open("inline"));
        }
    }

    @ParameterizedTest
    @CsvSource({"file, 4", "inline, 4", "file, 2"})
    void buffersMayBeReturnedInAnyOrderOrNever(String kind, int buffers) throws Exception {
        ServedRun run = serve(1);
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient client = run.client(0, kind, buffers).seek(0)) {
            ServedClient.Batch kept = client.next();
            client.stepped(kept);
            Deque<ServedClient.Batch> held = new ArrayDeque<>();
            for (int step = 1; step < STEPS; step++) {
                if (held.size() == buffers - 1) {
                    while (!held.isEmpty()) {
                        client.returned(held.removeLast().buffer());
                    }
                }
                ServedClient.Batch batch = client.next();
                assertThat(batch.rows()).isEqualTo(expected.get(step));
                assertThat(batch.buffer()).isNotEqualTo(kept.buffer());
                client.stepped(batch);
                held.add(batch);
            }
            client.requireEnd(STEPS);
            client.seek(2);
            while (!held.isEmpty()) {
                client.returned(held.removeFirst().buffer());
            }
            assertThat(client.take().rows()).isEqualTo(expected.get(2));
            run.finish(client);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", "inline"})
    void clientThatStopsReadingLosesNothing(String kind) throws Exception {
        ServedRun run = serve(1, "dataset.epochs=40");
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient client = run.client(0, kind, 16).seek(0)) {
            client.take();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(7); // WAIT messages come each 5 s
            while (System.nanoTime() < end) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
            for (int step = 1; step < expected.size(); step++) {
                assertThat(client.take().rows()).isEqualTo(expected.get(step));
            }
            client.requireEnd(expected.size());
            client.bye();
        }
        requireSummary(run.end(ExitCode.OK), "finished", expected.size(), 40 * PHOTOS);
    }
}
