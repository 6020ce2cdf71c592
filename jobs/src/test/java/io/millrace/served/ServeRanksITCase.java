package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.run.ExitCode;
import io.millrace.serve.WireClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clients of a served run's ranks that come, go, come back and disagree. */
class ServeRanksITCase extends ServedPhotos {

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
            run.finish(first, other);
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
        run.finish(run.client(0, kind), run.client(1, kind));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void rankWithoutAGoodSampleGetsAPaddedRowOfZeros(int world) throws Exception {
        ServedRun run =
                serve(world, "batch.size=" + world); // one row for each rank, and some in the last step of an epoch
        List<List<ServedClient.Row>> expected = run.expected();
        List<ServedClient> ranks = new ArrayList<>();
        for (int rank = 0; rank < world; rank++) {
            ranks.add(run.client(rank, rank % 2 == 0 ? "file" : "inline"));
        }
        int padded = 0;
        for (int first : new int[] {expected.size() - 1, expected.size() / 2 - 1, 0}) {
            for (ServedClient client : ranks) {
                client.seek(first);
            }
            padded = 0;
            for (int step = first; step < expected.size(); step++) {
                List<ServedClient.Row> rows = new ArrayList<>();
                for (ServedClient client : ranks) {
                    ServedClient.Batch batch = client.take();
                    assertThat(batch.step()).isEqualTo(step);
                    assertThat(batch.columns().required("__weight__")).hasSize(1);
                    if (batch.isPadded()) {
                        padded++;
                        assertThat(batch.number("__position__", 0)).isEqualTo(-1);
                        assertThat(batch.number("__index__", 0)).isEqualTo(-1);
                        assertThat(batch.number("label", 0)).isZero();
                        assertThat(batch.columns().required("image").get(0).asText())
                                .matches("(00)+");
                    }
                    rows.addAll(batch.rows());
                }
                assertThat(rows).as("step %d", step).isEqualTo(expected.get(step));
            }
        }
        assertThat(padded).isEqualTo(expected.size() * world - 2 * PHOTOS);
        for (ServedClient client : ranks) {
            client.requireEnd(expected.size());
            client.bye();
        }
        JsonNode summary = run.end(ExitCode.OK);
        assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
        assertThat(summary.required("quarantined_rows").asLong())
                .as("%s", summary)
                .isGreaterThanOrEqualTo(2L * BAD);
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
                run.finish(first, second);
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
                first.returned(prefetched.buffer());
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
            dies.vanish();
            try (ServedClient second = run.client(1, "file").seek(back)) {
                requireRest(expected, first, 3, second, back);
                first.bye();
                second.bye();
            }
        }
        JsonNode summary = run.end(ExitCode.OK);
        assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
        assertThat(summary.required("steps").asLong()).as("%s", summary).isEqualTo(STEPS);
        // The report of the step that the second client repeats may be lost with the connection.
        assertThat(summary.required("samples").asLong()).as("%s", summary).isBetween(2L * PHOTOS, 2L * PHOTOS + 4);
    }

    @Test
    void rankThatHasFinishedIsNotWaitedFor() throws Exception {
        ServedRun run = serve(2);
        List<List<ServedClient.Row>> expected = run.expected();
        try (ServedClient first = run.client(0, "file").seek(0)) {
            String address = run.ready().required("addresses").get(0).asText();
            ServedClient dies = run.client(1, "file", address, "one loader").seek(0);
            for (int step = 0; step < STEPS; step++) {
                first.take();
                dies.take();
            }
            first.requireEnd(STEPS);
            first.bye();
            dies.close();
            try (ServedClient second =
                    run.client(1, "file", address, "one loader").continueWith(STEPS - 2)) {
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
                assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                        .isLessThan(3000);
                try (ServedClient other = run.connect(0, 3, tcp, "another loader")) {
                    assertThat(other.error().required("code").asText()).isEqualTo("rank_taken");
                }
                run.finish(again);
            }
        }
    }
}
