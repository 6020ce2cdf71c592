package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.order.SourceShares;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.TaskCounters;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainerCounters;
import io.millrace.sink.files.UnwritableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SummaryFileTest {
    private static final TrainReport BROKEN_OFF = new TrainReport(
            false,
            new TrainerCounters(3, 96, 75_264, 103_200, TrainerCounters.Times.NONE, 0, 0),
            TrainReport.Pace.NONE,
            new TrainReport.Result(null, null, null, null, 10),
            TrainReport.Epochs.NONE,
            TaskCounters.NONE,
            TrainReport.Attempt.NONE);

    @TempDir
    Path folder;

    private SummaryFile to(Path file) {
        return to(file, 1);
    }

    private SummaryFile to(Path file, int trainers) {
        return new SummaryFile(
                file.toString(),
                folder.toString(),
                trainers,
                "cuda",
                "digits",
                2,
                Map.of("read", 2),
                100_000,
                RunReports.SENT,
                SampleUnit.IMAGES,
                List.of(),
                SourceShares.NONE);
    }

    private static JsonNode json(Path file) throws Exception {
        return new ObjectMapper().readTree(Files.readString(file));
    }

    @Test
    void jobWritesItsFiguresAndLeavesOthersUnknown() throws Exception {
        Path file = folder.resolve("elsewhere/summary.json");
        to(file).ended(0, RunReports.FINISHED, null);
        JsonNode json = json(file);
        assertThat(json.required("status").asText()).isEqualTo("finished");
        assertThat(json.required("steps").asLong())
                .isEqualTo(RunReports.FINISHED.counters().steps());
        assertThat(json.required("stages").get(0).required("own_ms").isNull()).isTrue();
        assertThat(json.required("stages").get(0).required("parallelism").asInt())
                .isEqualTo(2);
    }

    @Test
    void lastOfSeveralTrainersWritesTheSummaryOfAll() throws Exception {
        Path file = folder.resolve("summary.json");
        quarantined(0, "{\"index\":7,\"split\":\"train\"}\n{\"index\":1,\"split\":\"evaluate\"}\n");
        quarantined(1, "{\"index\":3,\"split\":\"train\"}\n{\"index\":7,\"split\":\"train\"}\n");

        to(file, 2).ended(1, RunReports.FINISHED, null);
        assertThat(file).doesNotExist();
        assertThat(json(folder.resolve("rank-1/report.json"))
                        .at("/report/steps")
                        .asLong())
                .as("the parts of a report have no objects of their own in the file")
                .isEqualTo(RunReports.FINISHED.counters().steps());
        to(file, 2).ended(0, RunReports.FINISHED, null);

        assertThat(json(file).required("status").asText()).isEqualTo("finished");
        assertThat(json(file).required("ranks")).hasSize(2);
        assertThat(json(file).required("samples").asLong())
                .isEqualTo(2 * RunReports.FINISHED.counters().samples());
        assertThat(json(file).required("quarantined").asLong()).isEqualTo(3);
        assertThat(folder.resolve("quarantine.jsonl")).content().isEqualTo("""
                {"index":3,"split":"train"}
                {"index":7,"split":"train"}
                {"index":1,"split":"evaluate"}
                """);
    }

    @Test
    void failureOfAnyTrainerIsWrittenAtOnce() throws Exception {
        Path file = folder.resolve("summary.json");
        quarantined(0, "");
        quarantined(1, "");

        to(file, 2).ended(1, BROKEN_OFF, new IllegalStateException("the loss is no number"));
        assertThat(json(file).required("status").asText()).isEqualTo("failed");
        assertThat(json(file).required("message").asText()).contains("the loss is no number");
    }

    @Test
    void trainerThatDoesNotSeeTheOthersFoldersReportsItself() throws Exception {
        Path file = folder.resolve("summary.json");
        to(file, 2).ended(0, RunReports.FINISHED, null);
        assertThat(json(file).required("samples").asLong())
                .isEqualTo(RunReports.FINISHED.counters().samples());
    }

    private void quarantined(int rank, String lines) throws Exception {
        Path of = Files.createDirectories(rank == 0 ? folder : folder.resolve("rank-" + rank));
        Files.writeString(of.resolve("quarantine.jsonl"), lines);
    }

    @Test
    void failureOfTheTrainerIsWritten() throws Exception {
        Path file = folder.resolve("summary.json");
        to(file).ended(0, BROKEN_OFF, new IllegalStateException("the loss is no number"));
        assertThat(json(file).required("status").asText()).isEqualTo("failed");
        assertThat(json(file).required("message").asText()).contains("the loss is no number");
    }

    @Test
    void failureBeforeTheDeviceReportedNamesTheConfiguredDevice() throws Exception {
        Path file = folder.resolve("summary.json");
        to(file).ended(0, BROKEN_OFF, new IllegalStateException("the GPU is gone"));
        assertThat(json(file).required("device").asText()).isEqualTo("cuda");
        assertThat(json(file).required("device_use").isNull()).isTrue();
    }

    @Test
    void fileThatCannotBeWrittenIsNamed() throws Exception {
        Path blocked = Files.writeString(folder.resolve("blocked"), "");
        assertThatThrownBy(() -> to(blocked.resolve("summary.json")).ended(0, RunReports.FINISHED, null))
                .isInstanceOf(UnwritableException.class)
                .hasMessageContaining("summary.json");
    }
}
