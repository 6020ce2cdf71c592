package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.run.ExitCode;
import io.millrace.serve.WireClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The delivery of a run to clients in this process, compared with a preview of the same pipeline. */
@Timeout(120)
class ServeITCase {
    private static final Logger LOG = LoggerFactory.getLogger(ServeITCase.class);
    private static final int PHOTOS = 40;
    private static final int BAD = 6;
    private static final int STEPS = 12;

    @TempDir
    static Path shared;

    private static Path photos;

    @TempDir
    Path folder;

    @BeforeAll
    static void draw() throws IOException {
        photos = SmallData.photos(shared.resolve("photos"), PHOTOS, BAD, 1);
    }

    private ServedRun serve(int world, String... settings) throws IOException {
        return new ServedRun(
                SmallData.photosPipeline(folder.resolve("photos.yaml"), photos, folder.resolve("runs")),
                folder,
                world,
                settings);
    }

    private static void requireSummary(JsonNode summary, String status, long steps, long samples) {
        assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo(status);
        assertThat(summary.required("steps").asLong()).as("%s", summary).isEqualTo(steps);
        assertThat(summary.required("samples").asLong()).as("%s", summary).isEqualTo(samples);
    }

    /** Ends a run whose clients need no more batches: all go to its end and say BYE there. */
    private static void finish(ServedRun run, ServedClient... clients) throws Exception {
        for (ServedClient client : clients) {
            client.seek(client.plan().required("steps").asLong());
        }
        for (ServedClient client : clients) {
            client.awaitEnd();
        }
        for (ServedClient client : clients) {
            client.bye();
        }
        run.end(ExitCode.OK);
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
                assertThat(batch.planned()).isEqualTo(step % (STEPS / 2) == 5 ? 6 : 8);
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
        client.returned(batch.slot());
        client.seek(step);
    }

    @Test
    void longRunDeliversThePositionsBeyondTenToTheTen() throws Exception {
        ServedRun run = serve(1, "dataset.epochs=300000000");
        long far = 10_000_000_000L / 46 * 6 + 6;
        try (ServedClient client = run.client(0, "file").seek(0)) {
            List<ServedClient.Row> first = client.take().rows();
            requireFast(client, far);
            ServedClient.Batch batch = client.take();
            assertThat(batch.firstPosition()).isGreaterThan(10_000_000_000L);
            assertThat(batch.rows()).isNotEmpty().allSatisfy(row -> assertThat(row.position())
                    .isBetween(batch.firstPosition(), batch.firstPosition() + 7));
            requireFast(client, 0);
            assertThat(client.take().rows()).isEqualTo(first);
            finish(run, client);
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
            finish(run, again.open("inline"));
        }
    }

    @Test
    void secondClientOfARankAndOtherWorldsAreRefusedByName() throws Exception {
        ServedRun run = serve(2);
        try (ServedClient first = run.client(1, "inline");
                ServedClient second = run.connect(1, 3);
                ServedClient third = ServedClient.connect(run.address(), 0, 4, null, 3);
                ServedClient other = run.client(0, "inline")) {
            JsonNode error = second.error();
            assertThat(error.required("code").asText()).isEqualTo("rank_taken");
            assertThat(error.required("message").asText()).contains("rank 1 of 2 is taken by trainer 1");
            assertThat(third.error().required("code").asText()).isEqualTo("world");
            finish(run, first, other);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", "inline"})
    void ranksThatAskForDifferentStepsAreToldByNameOnAllSides(String kind) throws Exception {
        ServedRun run = serve(2);
        try (ServedClient first = run.client(0, kind);
                ServedClient second = run.client(1, kind)) {
            first.seek(0);
            second.seek(0);
            first.take();
            second.take();
            first.seek(3);
            second.seek(4);
            for (ServedClient client : List.of(first, second)) {
                assertThat(nextError(client).required("message").asText())
                        .contains("rank 0 (trainer 0", "for step 3", "rank 1 (trainer 1", "for step 4");
            }
        }
        finish(run, run.client(0, kind), run.client(1, kind));
    }

    private static JsonNode nextError(ServedClient client) throws IOException {
        WireClient.Received received = client.wire().next();
        while (received.type() == WireClient.BATCH) { // it was sent before the seek arrived
            received = client.wire().next();
        }
        assertThat(received.type()).isEqualTo(WireClient.ERROR);
        return received.json();
    }

    @Test
    void rankThatNeverComesIsNamed() throws Exception {
        ServedRun run = serve(2);
        try (ServedClient first = run.client(0, "file").seek(0)) {
            List<String> reasons = new ArrayList<>(List.of(first.waitReason()));
            while (!reasons.get(reasons.size() - 1).contains("rank 1 of 2, which has not connected")) {
                assertThat(reasons).hasSizeLessThan(5);
                reasons.add(first.waitReason());
            }
            try (ServedClient second = run.client(1, "file").seek(0)) {
                assertThat(first.take().step()).isZero();
                assertThat(second.take().step()).isZero();
                finish(run, first, second);
            }
        }
    }

    @Test
    void ranksContinueTogetherAfterOneOfThemHasDied() throws Exception {
        ServedRun run = serve(2);
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient first = run.client(0, "file").seek(0)) {
            ServedClient dies = run.client(1, "file").seek(0);
            first.take();
            dies.take();
            dies.close();
            ServedClient.Batch prefetched = first.next();
            assertThat(prefetched.step()).isEqualTo(1);
            first.seek(1);
            try (ServedClient second = run.client(1, "file").seek(1)) {
                first.returned(prefetched.slot());
                for (int step = 1; step < STEPS; step++) {
                    List<ServedClient.Row> rows = new ArrayList<>(first.take().rows());
                    rows.addAll(second.take().rows());
                    assertThat(rows).isEqualTo(expected.get(step));
                }
                first.requireEnd(STEPS);
                second.requireEnd(STEPS);
                first.bye();
                second.bye();
            }
        }
        run.end(ExitCode.OK);
    }

    /** Requires that two ranks receive the rows of these steps, and then the end. Their first steps may differ. */
    private static void requireRest(
            List<List<ServedClient.Row>> expected, ServedClient first, int from, ServedClient second, int secondFrom)
            throws IOException {
        for (int step = Math.min(from, secondFrom); step < STEPS; step++) {
            List<ServedClient.Row> rows = new ArrayList<>();
            if (step >= from) {
                ServedClient.Batch batch = first.take();
                assertThat(batch.step()).isEqualTo(step);
                rows.addAll(batch.rows());
            }
            if (step >= secondFrom) {
                ServedClient.Batch batch = second.take();
                assertThat(batch.step()).isEqualTo(step);
                rows.addAll(batch.rows());
            }
            if (step >= from && step >= secondFrom) {
                assertThat(rows).as("step %d", step).isEqualTo(expected.get(step));
            } else {
                assertThat(expected.get(step)).as("step %d", step).containsAll(rows);
            }
        }
        first.requireEnd(STEPS);
        second.requireEnd(STEPS);
    }

    @ParameterizedTest
    @CsvSource({"5, 4", "0, 1", "11, 12", "2, 9"})
    void ranksThatContinueAtDifferentStepsReceiveEachStepOnce(int first, int second) throws Exception {
        ServedRun run = serve(2);
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient one = run.client(0, "file").continueWith(first);
                ServedClient other = run.client(1, "inline").continueWith(second)) {
            requireRest(expected, one, first, other, second);
            one.bye();
            other.bye();
        }
        run.end(ExitCode.OK);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void clientThatComesBackJoinsAnotherThatDoesNotSeek(int back) throws Exception {
        ServedRun run = serve(2);
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient first = run.client(0, "file").seek(0)) {
            ServedClient dies = run.client(1, "inline").seek(0);
            for (int step = 0; step < 3; step++) {
                first.take();
                dies.take();
            }
            dies.close();
            try (ServedClient second = run.client(1, "file").seek(back)) {
                requireRest(expected, first, 3, second, back);
                first.bye();
                second.bye();
            }
        }
        JsonNode summary = run.end(ExitCode.OK);
        requireSummary(summary, "finished", STEPS, 2 * PHOTOS + (back == 2 ? rankRows(expected.get(2), 1) : 0));
    }

    /** Returns the rows of a rank of two: the positions in the second half of the batch belong to rank 1. */
    private static long rankRows(List<ServedClient.Row> rows, int rank) {
        return rows.stream().filter(row -> row.position() % 8 / 4 == rank).count();
    }

    @Test
    void rankThatHasFinishedIsNotWaitedFor() throws Exception {
        ServedRun run = serve(2);
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient first = run.client(0, "file").seek(0)) {
            ServedClient dies = run.client(1, "file").seek(0);
            for (int step = 0; step < STEPS; step++) {
                first.take();
                dies.take();
            }
            first.requireEnd(STEPS);
            first.bye();
            dies.close();
            try (ServedClient second = run.client(1, "file").continueWith(STEPS - 2)) {
                for (int step = STEPS - 2; step < STEPS; step++) {
                    assertThat(expected.get(step)).containsAll(second.take().rows());
                }
                second.requireEnd(STEPS);
                second.bye();
            }
        }
        assertThat(run.end(ExitCode.OK).required("status").asText()).isEqualTo("finished");
    }

    @Test
    void loaderThatComesBackTakesThePlaceOfItsOwnLostConnection() throws Exception {
        ServedRun run = serve(1);
        String tcp = run.ready().required("addresses").get(1).asText();
        try (ServedClient silent = run.client(0, "file", tcp, "one loader").seek(0)) {
            silent.take();
            long began = System.nanoTime();
            try (ServedClient again = run.client(0, "file", tcp, "one loader").continueWith(1)) {
                assertThat(again.take().step()).isEqualTo(1);
                assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isLessThan(3000);
                try (ServedClient other = run.connect(0, 3, tcp, "another loader")) {
                    assertThat(other.error().required("code").asText()).isEqualTo("rank_taken");
                }
                finish(run, again);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"file, 4", "inline, 4", "file, 2"})
    void slotsMayBeReturnedInAnyOrderOrNever(String kind, int slots) throws Exception {
        ServedRun run = serve(1);
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient client = run.client(0, kind, slots).seek(0)) {
            ServedClient.Batch kept = client.next();
            client.stepped(kept);
            Deque<ServedClient.Batch> held = new ArrayDeque<>();
            for (int step = 1; step < STEPS; step++) {
                if (held.size() == slots - 1) {
                    while (!held.isEmpty()) {
                        client.returned(held.removeLast().slot());
                    }
                }
                ServedClient.Batch batch = client.next();
                assertThat(batch.rows()).isEqualTo(expected.get(step));
                assertThat(batch.slot()).isNotEqualTo(kept.slot());
                client.stepped(batch);
                held.add(batch);
            }
            client.requireEnd(STEPS);
            client.seek(2);
            while (!held.isEmpty()) {
                client.returned(held.removeFirst().slot());
            }
            assertThat(client.take().rows()).isEqualTo(expected.get(2));
            finish(run, client);
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
