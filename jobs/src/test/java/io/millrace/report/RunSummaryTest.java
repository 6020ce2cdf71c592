package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.config.ConfigReader;
import io.millrace.rest.StageReading;
import io.millrace.rest.StageReadingTest;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.figures.EpochRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunSummaryTest {
    static RunSummary summary(double loss) {
        return new RunSummary(
                "digits",
                RunSummary.Status.FINISHED,
                null,
                new RunSummary.Setup("host", 2, "scalar"),
                new RunSummary.Counts(3, 2814, 180_000, 0, 0, 0, new RunSummary.Checkpoints(2, 438_000, 3.5, 1.25)),
                new RunSummary.Speed(9.1, 3.2, 19_780.0, 52_310.0, List.of(1.3, 1.1, 1.1), 0.07, 0.4, 788L),
                new RunSummary.WireColumns(
                        List.of(new RunSummary.Wire("text", "ragged uint8", null, null, "as the model expects it")),
                        null,
                        null),
                new RunSummary.Result(
                        loss, 0.987, "ab12", List.of(new EpochRecord(0, 1.3, 60_000, 0.1, 0.5, 0.31, null))),
                List.of(),
                List.of(),
                null,
                List.of(StageReadingTest.stage("read", 2, 180_000, 210), StageReading.unknown("train")),
                Versions.current());
    }

    /** Scripts depend on these keys. */
    @Test
    void keysAreFixed() throws Exception {
        JsonNode json = new ObjectMapper().readTree(summary(0.031).toJson());
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder(
                        ("name status message device device_use parallelism kernels epochs steps samples quarantined quarantined_rows"
                                        + " wall_s first_step_s images_per_s steady_images_per_s epoch_s starvation evaluation_s"
                                        + " final_loss final_accuracy parameters_sha256 epoch_results bytes_per_sample wire saved_bytes_per_sample saved_bytes restarts checkpoints"
                                        + " verdict stages versions")
                                .split(" "));
        assertThat(json.at("/stages/0").fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder(
                        ("name parallelism records own_ms cpu_ms wait_in_ms wait_out_ms bytes failures core_wait_ms"
                                        + " own_p50_ms own_p99_ms own_max_ms")
                                .split(" "));
        assertThat(json.at("/epoch_results/0").fieldNames())
                .toIterable()
                .containsExactly(
                        "epoch", "seconds", "samples", "starved_seconds", "loss", "evaluation_loss", "accuracy");
        assertThat(json.at("/wire/0").fieldNames())
                .toIterable()
                .containsExactly("field", "type", "bytes_per_sample", "saved_bytes_per_sample", "why");
        assertThat(json.path("versions").fieldNames())
                .toIterable()
                .containsExactly("millrace", "flink", "djl", "pytorch", "arrow", "java");
    }

    @Test
    void valuesHaveTheirKeys() throws Exception {
        JsonNode json = new ObjectMapper().readTree(summary(0.031).toJson());
        assertThat(json.path("status").asText()).isEqualTo("finished");
        assertThat(json.path("steps").asLong()).isEqualTo(2814);
        assertThat(json.path("epoch_s").get(0).asDouble()).isEqualTo(1.3);
        assertThat(json.path("evaluation_s").asDouble()).isEqualTo(0.4);
        assertThat(json.path("final_loss").asDouble()).isEqualTo(0.031);
        assertThat(json.at("/stages/0/own_ms").asDouble()).isEqualTo(210.0);
        assertThat(json.at("/versions/flink").asText()).matches("[0-9.]+");
    }

    @Test
    void unknownIsNullNotZero() throws Exception {
        JsonNode json = new ObjectMapper().readTree(summary(Double.NaN).toJson());
        assertThat(json.path("final_loss").isNull()).isTrue();
        assertThat(json.path("verdict").isNull()).isTrue();
        assertThat(json.at("/stages/1/own_ms").isNull()).isTrue();
        assertThat(json.at("/stages/1/parallelism").isNull()).isTrue();
    }

    @Test
    void useOfTheDeviceHasFixedKeysAndUnits() throws Exception {
        RunSummary.Setup setup = new RunSummary.Setup("host", 2, "scalar").with(RunReports.GPU);
        assertThat(new ObjectMapper().writeValueAsString(setup))
                .isEqualTo("{\"device\":\"cuda\",\"parallelism\":2,\"kernels\":\"scalar\",\"device_use\":{"
                        + "\"device\":\"cuda:0 (NVIDIA H200)\",\"transfer_gb_per_s\":50.0,\"copy_overlap\":0.99,"
                        + "\"engine_ms\":8000.0,\"copy_wait_ms\":2.5,\"slot_wait_ms\":1.5,\"pageable_buffers\":0,"
                        + "\"memory_used_bytes\":2,\"memory_total_bytes\":3,\"gpu_utilization\":0.97,\"gpu_w\":612.5,"
                        + "\"memory_format\":\"channels_last\",\"warnings\":[\"results may differ from run to run: put_ has"
                        + " no deterministic implementation\"]}}");
        assertThat(new ObjectMapper()
                        .readTree(summary(1).toJson())
                        .path("device_use")
                        .isNull())
                .isTrue();
    }

    @Test
    void jsonOfOneLineHasNoLineBreak() {
        assertThat(summary(1).toJson()).doesNotContain("\n");
        assertThat(summary(1).toIndentedJson()).contains("\n").endsWith("}\n");
    }

    @Test
    void verdictHasFixedKeys() {
        VerdictSummary verdict = new VerdictSummary(
                "decode",
                null,
                "slots",
                52_310.0,
                53_000.0,
                52_500.0,
                53_500.0,
                "train",
                54_000.0,
                "high",
                "the model explains the measurement",
                "limited by decode: 52,310 images/s, about 53,000 without this limit",
                "limited by decode",
                List.of(),
                null);
        JsonNode json = new ObjectMapper().valueToTree(verdict);
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder(
                        "limit",
                        "kind",
                        "images_per_s",
                        "fixed_images_per_s",
                        "fixed_low_images_per_s",
                        "fixed_high_images_per_s",
                        "next",
                        "ceiling_images_per_s",
                        "confidence",
                        "reason",
                        "sentence",
                        "line",
                        "contradictions");
    }

    @Test
    void deviceIsTheConfiguredOneUntilATrainerReportsItsOwn(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("gpu.yaml"), """
                dataset: {format: synthetic, size: 8, shape: [4, 4, 3], classes: 2}
                train: {model: none}
                device: {kind: auto}
                """);
        RunSummary.Setup failed = RunSummary.Setup.configured(
                ConfigReader.read(file, List.of("device.kind=cuda")), SampleUnit.IMAGES, 2, null);
        RunSummary.Setup automatic =
                RunSummary.Setup.configured(ConfigReader.read(file, List.of()), SampleUnit.IMAGES, 2, null);

        assertThat(failed.with((DeviceFigures) null).device()).isEqualTo("cuda");
        assertThat(automatic.device()).isEqualTo("auto");
        assertThat(automatic.with(RunReports.GPU).device()).isEqualTo("cuda");
    }
}
