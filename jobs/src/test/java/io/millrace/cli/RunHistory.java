package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The history of a run in its files, with assertions that it is complete. */
public record RunHistory(Path folder) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** The first four columns of steps.csv: step, epoch, rows and loss. The other columns are times. */
    private static final int COLUMNS = 4;

    /** Asserts that the ledger follows the order of every epoch, without gaps and duplicates. */
    public void requireWhole(EpochOrder order, BatchPlan plan) throws IOException {
        List<String> ledger = lines("ledger.csv");
        TreeSet<Long> bad = new TreeSet<>(quarantined());
        long steps = plan.epochs() * plan.stepsPerEpoch();
        assertThat(ledger.stream().map(line -> Long.valueOf(field(line, 0))))
                .as("steps of ledger.csv")
                .isEqualTo(LongStream.range(0, steps).boxed().toList());
        assertThat(steps().stream().map(line -> Long.valueOf(field(line, 0))))
                .as("steps of steps.csv")
                .isEqualTo(LongStream.range(0, steps).boxed().toList());
        for (String line : ledger) {
            long step = Long.parseLong(field(line, 0));
            int epoch = Math.toIntExact(step / plan.stepsPerEpoch());
            long first = step % plan.stepsPerEpoch() * plan.batch();
            List<Long> planned = LongStream.range(first, Math.min(first + plan.batch(), plan.size()))
                    .map(place -> order.index(epoch, place))
                    .boxed()
                    .toList();
            assertThat(field(line, 1)).isEqualTo(Integer.toString(epoch));
            assertThat(indexes(field(line, 2)))
                    .as("samples of step %d", step)
                    .isEqualTo(planned.stream().filter(i -> !bad.contains(i)).toList());
            assertThat(indexes(field(line, 3)))
                    .as("bad samples of step %d", step)
                    .isEqualTo(planned.stream().filter(bad::contains).toList());
        }
        assertThat(quarantined()).as("quarantine.jsonl").doesNotHaveDuplicates();
    }

    /** Asserts that the run has the same history as another run. */
    public void requireSame(RunHistory undisturbed) throws IOException {
        assertThat(steps()).as("steps.csv").isEqualTo(undisturbed.steps());
        assertThat(lines("ledger.csv")).as("ledger.csv").isEqualTo(undisturbed.lines("ledger.csv"));
        assertThat(quarantined())
                .as("quarantine.jsonl")
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(undisturbed.quarantined());
    }

    /** Asserts that two summaries describe the same training. */
    public static void requireSame(JsonNode summary, JsonNode undisturbed) {
        assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
        for (String name : List.of(
                "parameters_sha256",
                "samples",
                "steps",
                "epochs",
                "quarantined",
                "quarantined_rows",
                "final_loss",
                "final_accuracy")) {
            assertThat(summary.required(name)).as(name).isEqualTo(undisturbed.required(name));
        }
        assertThat(summary.path("ranks")).hasSameSizeAs(undisturbed.path("ranks"));
        for (int rank = 0; rank < undisturbed.path("ranks").size(); rank++) {
            for (String name : List.of("steps", "samples", "final_loss", "final_accuracy", "parameters_sha256")) {
                assertThat(summary.path("ranks").get(rank).required(name))
                        .as("%s of rank %d", name, rank)
                        .isEqualTo(undisturbed.path("ranks").get(rank).required(name));
            }
        }
    }

    /** Returns the number of steps in steps.csv; 0 before the file exists. */
    public long stepsWritten() throws IOException {
        try (Stream<String> lines = Files.lines(folder.resolve("steps.csv"))) {
            return lines.skip(1).count();
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    /** Returns the throughput from a step on. The trainer spends its whole time on the activities in steps.csv. */
    public double samplesPerSecond(int fromStep) throws IOException {
        double millis = 0;
        double rows = 0;
        List<String> all = lines("steps.csv");
        for (String line : all.subList(fromStep, all.size())) {
            rows += Double.parseDouble(field(line, 2));
            for (int column = COLUMNS; column < COLUMNS + 3; column++) {
                millis += Double.parseDouble(field(line, column));
            }
        }
        return rows * 1e3 / millis;
    }

    /** Returns the columns of steps.csv without the times. */
    public List<String> steps() throws IOException {
        return lines("steps.csv").stream()
                .map(line -> Arrays.asList(line.split(",", -1)))
                .map(fields -> String.join(",", fields.subList(0, Math.min(fields.size(), COLUMNS))))
                .toList();
    }

    /** Returns the indexes of bad samples in the order in which they were found. */
    public List<Long> quarantined() throws IOException {
        List<Long> indexes = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("quarantine.jsonl"))) {
            indexes.add(MAPPER.readTree(line).required("index").asLong());
        }
        return indexes;
    }

    private List<String> lines(String file) throws IOException {
        List<String> all = Files.readAllLines(folder.resolve(file));
        return all.subList(1, all.size());
    }

    private static String field(String line, int number) {
        return line.split(",", -1)[number];
    }

    private static List<Long> indexes(String spaced) {
        return spaced.isEmpty()
                ? List.of()
                : Arrays.stream(spaced.split(" ")).map(Long::valueOf).toList();
    }
}
