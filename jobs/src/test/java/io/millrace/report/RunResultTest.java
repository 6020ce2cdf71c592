package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.metrics.EndedStages;
import io.millrace.metrics.Figures;
import io.millrace.metrics.NanosHistogram;
import io.millrace.metrics.StageFigures;
import io.millrace.metrics.StageMetrics;
import io.millrace.report.RunSummary.Status;
import io.millrace.rest.StageReading;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TaskCounters;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.streaming.util.MockStreamingRuntimeContext;
import org.junit.jupiter.api.Test;

class RunResultTest {
    private static final TrainReport REPORT = RunReports.FINISHED;

    /** Flink's own client prints it. */
    @Test
    void reportsOfTrainersAreAFewWords() {
        assertThat(new TrainReports(List.of(new TrainReports.Ranked(0, RunReports.FINISHED))))
                .hasToString("180,000 samples in 2,814 steps");
    }

    @Test
    void ratiosFollowFromTheMeasuredFigures() throws Exception {
        JsonNode json = summary(Status.FINISHED, REPORT);

        assertThat(json.path("wall_s").asDouble()).isEqualTo(9.1);
        assertThat(json.path("first_step_s").asDouble()).isEqualTo(3.2);
        assertThat(json.path("images_per_s").asDouble()).isEqualTo(180_000 / 9.1);
        assertThat(json.path("steady_images_per_s").asDouble()).isEqualTo(120_000 / 2.2);
        assertThat(json.path("epoch_s").toString()).isEqualTo("[1.3,1.1,1.1]");
        assertThat(json.path("starvation").asDouble()).isEqualTo(0.07);
        assertThat(json.path("evaluation_s").asDouble())
                .isEqualTo(REPORT.counters().times().evaluationNanos() / 1e9)
                .isPositive();
        assertThat(json.path("final_loss").asDouble())
                .as("loss of the evaluation")
                .isEqualTo(0.042);
        assertThat(json.path("final_accuracy").asDouble()).isEqualTo(0.987);
        assertThat(json.path("quarantined").asInt()).isEqualTo(2);
        assertThat(json.path("quarantined_rows").asInt()).isEqualTo(6);
        assertThat(json.path("bytes_per_sample").asInt()).isEqualTo(808);
        assertThat(json.at("/wire/0").toString())
                .isEqualTo("{\"field\":\"image\",\"type\":\"uint8\",\"bytes_per_sample\":784.0,"
                        + "\"saved_bytes_per_sample\":2352.0,"
                        + "\"why\":\"normalised on the device: 4x less than float32\"}");
        assertThat(json.path("saved_bytes_per_sample").asDouble()).isEqualTo(3 * 784);
        assertThat(json.path("saved_bytes").asLong()).isEqualTo(3 * 784 * 180_000L);
    }

    @Test
    void partsOfTheTrainerFollowTheOtherStages() throws Exception {
        JsonNode stages = summary(Status.FINISHED, REPORT).path("stages");

        assertThat(stages.findValuesAsText("name")).containsExactly("read", "assemble", "transfer", "train");
        assertThat(stages.get(3).path("own_ms").asDouble()).isEqualTo(2900);
        assertThat(stages.get(3).path("wait_in_ms").asDouble()).isEqualTo(245);
        assertThat(stages.get(3).path("wait_out_ms").isNull()).isTrue();
        assertThat(stages.get(3).path("core_wait_ms").asDouble()).isEqualTo(40);
        assertThat(stages.get(3).path("own_p50_ms").isNull())
                .as("own time of a sample")
                .isTrue();
    }

    @Test
    void namesOfAStagesFiguresAreFixedAndUnknownIsNull() throws Exception {
        JsonNode read = summary(Status.FINISHED, REPORT).path("stages").get(0);

        assertThat(read.properties().stream().map(Map.Entry::getKey))
                .as("the first keys")
                .startsWith(
                        "name",
                        "parallelism",
                        "records",
                        "own_ms",
                        "cpu_ms",
                        "wait_in_ms",
                        "wait_out_ms",
                        "bytes",
                        "failures",
                        "core_wait_ms",
                        "own_p50_ms",
                        "own_p99_ms",
                        "own_max_ms");
        assertThat(read.path("own_p99_ms").isNull()).isTrue();
    }

    @Test
    void finalFiguresCoverAllSubtasksAndAreUnknownWhenOneIs() {
        FinalMetrics.clear();
        Histogram quick = new Histogram(NanosHistogram.DIGITS);
        quick.recordValueWithCount(1_000_000, 98);
        Histogram slow = new Histogram(NanosHistogram.DIGITS);
        slow.recordValueWithCount(64_000_000, 2);
        FinalMetrics.put("decode", 0, Figures.OWN_NANOS_PER_RECORD.name(), quick);
        FinalMetrics.put("decode", 1, Figures.OWN_NANOS_PER_RECORD.name(), slow);
        FinalMetrics.put("decode", 0, Figures.RECORDS_PER_OWN_SECOND.name(), 1000.0);
        FinalMetrics.put("decode", 1, Figures.RECORDS_PER_OWN_SECOND.name(), 20.0);
        FinalMetrics.put("decode", 0, Figures.CORE_WAIT_NANOS.name(), 5e6);
        FinalMetrics.put("decode", 1, Figures.CORE_WAIT_NANOS.name(), Double.NaN);

        StageReading decode = RunResult.finalStages(Map.of("decode", 2)).get(0);
        FinalMetrics.clear();

        assertThat(decode.ownP50Millis()).isCloseTo(1, withinPercentage(1));
        assertThat(decode.ownP99Millis()).isCloseTo(64, withinPercentage(1));
        assertThat(decode.ownMaxMillis()).isCloseTo(64, withinPercentage(1));
        assertThat(decode.recordsPerOwnSecondSum()).isEqualTo(1020);
        assertThat(decode.recordsPerOwnSecondMax()).isEqualTo(1000);
        assertThat(decode.coreWaitMillis()).isNull();
        assertThat(decode.records()).isNull();
    }

    private static StageMetrics stage(int records) {
        StageMetrics metrics = new StageMetrics(UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup());
        metrics.addWork(records * 1_000_000L, records, records, records);
        return metrics;
    }

    @Test
    void figuresOfAClusterAreThoseOfItsEndedSlots() {
        RuntimeContext context = new MockStreamingRuntimeContext(1, 0);
        MetricGroup group = UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup();
        EndedStages.add(context, group, stage(40));
        EndedStages.add(context, group, stage(60));
        Map<String, StageFigures> ended =
                EndedStages.of(context.getAccumulator(EndedStages.NAME).getLocalValue());
        String name = ended.keySet().iterator().next();
        StageReading latest = StageReading.unknown(name, 2).with(Figures.RECORDS, 70);

        assertThat(RunResult.finalStages(List.of(latest), ended))
                .singleElement()
                .satisfies(stage -> assertThat(stage.records()).isEqualTo(100))
                .satisfies(stage -> assertThat(stage.ownMillis()).isEqualTo(100))
                .satisfies(stage -> assertThat(stage.atLeast()).isFalse());
        assertThat(RunResult.finalStages(List.of(StageReading.unknown(name)), ended))
                .as("never read")
                .singleElement()
                .satisfies(stage -> assertThat(stage.parallelism()).isEqualTo(2))
                .satisfies(stage -> assertThat(stage.records()).isEqualTo(100));
        assertThat(RunResult.finalStages(
                        List.of(
                                StageReading.unknown(name, 3).with(Figures.RECORDS, 70),
                                StageReading.unknown(name, 3).with(Figures.RECORDS, 120),
                                StageReading.unknown("other", 2).with(Figures.RECORDS, 5)),
                        ended))
                .as("a slot was lost, or none has reported")
                .allSatisfy(stage -> assertThat(stage.atLeast()).isTrue())
                .extracting(StageReading::records)
                .containsExactly(100L, 120L, 5L);
    }

    @Test
    void figuresSinceARestartAreMarked() throws Exception {
        StageReading read = StageReading.unknown("read").with(Figures.RECORDS, 5);
        TrainReport restarted = new TrainReport(
                true,
                REPORT.counters(),
                REPORT.pace(),
                REPORT.result(),
                REPORT.epochs(),
                new TaskCounters(2, 6, 150_000_000L, 1, SnapshotCost.NONE),
                REPORT.attempt());

        JsonNode stages = summary(Status.FINISHED, restarted, read).path("stages");
        assertThat(stages.get(0).path("at_least").asBoolean()).isTrue();
        assertThat(stages.get(3).has("at_least"))
                .as("the trainer's are in its state")
                .isFalse();
        assertThat(summary(Status.FINISHED, REPORT, read).path("stages").get(0).has("at_least"))
                .isFalse();
    }

    @Test
    void runThatNeverBeganHasOnlyItsWallTime() throws Exception {
        JsonNode json = summary(Status.FAILED, null);

        assertThat(json.path("status").asText()).isEqualTo("failed");
        assertThat(json.path("steps").asInt()).isZero();
        assertThat(json.path("wall_s").asDouble()).isEqualTo(9.1);
        for (String unknown : List.of(
                "first_step_s",
                "images_per_s",
                "steady_images_per_s",
                "starvation",
                "evaluation_s",
                "final_loss",
                "parameters_sha256")) {
            assertThat(json.path(unknown).isNull()).as(unknown).isTrue();
        }
    }

    private static JsonNode summary(Status status, @org.jspecify.annotations.Nullable TrainReport report)
            throws Exception {
        return summary(status, report, StageReading.unknown("read"));
    }

    private static JsonNode summary(
            Status status, @org.jspecify.annotations.Nullable TrainReport report, StageReading read) throws Exception {
        RunSummary summary = RunResult.summarize(
                "digits",
                status,
                status == Status.FAILED ? "why" : null,
                new RunSummary.Setup("host", 2, "scalar"),
                100_000,
                109_100,
                report == null ? null : new TrainReports(List.of(new TrainReports.Ranked(0, report))),
                List.of(read),
                RunReports.SENT,
                null);
        return new ObjectMapper().readTree(summary.toJson());
    }
}
