package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.train.spec.GpuKernels;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.Updates;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** Tests the keys of updates, precision and batches in flight. */
class UpdatesConfigTest {
    @TempDir
    Path folder;

    private PipelineText smallest() {
        return PipelineText.of(folder, PipelineText.SMALLEST);
    }

    @Test
    void defaultsAreAnUpdateForEachBatchInFloat32AndFourBatchesInFlight() throws Exception {
        PipelineConfig config = smallest().read();

        assertThat(config.train().recipe().updates()).isEqualTo(Updates.OF_EACH_BATCH);
        assertThat(config.device().compute().precision()).isEqualTo(Precision.FLOAT32);
        assertThat(config.device().compute().kernels()).isEqualTo(GpuKernels.FASTEST);
        assertThat(config.device().batchesInFlight()).isEqualTo(4);
    }

    @Test
    void settingsAreReadAndWritten() throws Exception {
        PipelineConfig config = smallest()
                .read(
                        "train.accumulate=4",
                        "train.clip_norm=1",
                        "device.precision=bfloat16",
                        "device.deterministic=true",
                        "device.batches_in_flight=2",
                        "ranks=2",
                        "train.ranks=[{accumulate: 2, clip_norm: 0.5}, {}]");

        assertThat(config.train().recipe().updates()).isEqualTo(new Updates(4, 1.0));
        assertThat(config.device().compute().precision()).isEqualTo(Precision.BFLOAT16);
        assertThat(config.device().compute().kernels()).isEqualTo(GpuKernels.REPRODUCIBLE);
        assertThat(config.device().batchesInFlight()).isEqualTo(2);
        assertThat(config.train().trainers().own().get(0).accumulate()).isEqualTo(Optional.of(2));
        assertThat(config.train().trainers().own().get(0).clipNorm()).isEqualTo(Optional.of(0.5));
        assertThat(config.train().trainers().own().get(1).accumulate()).isEmpty();
        assertThat(PipelineText.of(folder, new Yaml().dump(config.toMap())).read())
                .isEqualTo(config);
    }

    /** Measured kernels may differ from run to run, so a run that requests both is reproducible. */
    @Test
    void benchmarkModeOfCudnnIsOffInReproducibleRuns() throws Exception {
        PipelineConfig measured = smallest().read("device.cudnn_benchmark=true");
        assertThat(measured.device().compute().kernels()).isEqualTo(GpuKernels.MEASURED);
        assertThat(PipelineText.of(folder, new Yaml().dump(measured.toMap())).read())
                .isEqualTo(measured);
        PipelineConfig both = smallest().read("device.cudnn_benchmark=true", "device.deterministic=true");
        assertThat(both.device().compute().kernels()).isEqualTo(GpuKernels.REPRODUCIBLE);
        PipelineText written = PipelineText.of(folder, new Yaml().dump(both.toMap()));
        assertThat(written.read("device.deterministic=false").device().compute().kernels())
                .as("the written file has both keys")
                .isEqualTo(GpuKernels.MEASURED);
    }

    @Test
    void numbersOutOfRangeAreReported() {
        assertThat(smallest().problems("train.accumulate=0", "train.clip_norm=0", "device.batches_in_flight=1"))
                .anyMatch(problem -> problem.contains("train.accumulate") && problem.contains("1 to 1000000"))
                .anyMatch(problem -> problem.contains("train.clip_norm") && problem.contains("above 0"))
                .anyMatch(problem -> problem.contains("device.batches_in_flight") && problem.contains("2 to 1024"));
    }

    /** The message names the key that moves the training to the host. */
    @ParameterizedTest
    @ValueSource(strings = {"bandwidth=1MB/s", "latency=1ms", "step=20ms", "asynchronous=true"})
    void tf32IsRejectedWithASimulatedDevice(String simulation) throws Exception {
        assertThat(smallest().problems("device.precision=tf32", "device.simulated_" + simulation))
                .singleElement()
                .asString()
                .contains("device.precision", "only CUDA devices multiply in tf32")
                .contains("with simulated_" + simulation.substring(0, simulation.indexOf('=')));
    }

    @Test
    void tf32IsRejectedOnTheHostAndAcceptedOnAnUnknownDevice() throws Exception {
        assertThat(smallest().problems("device.kind=host", "device.precision=tf32"))
                .singleElement()
                .asString()
                .contains("device.precision", "only CUDA devices multiply in tf32", "float32 or bfloat16");
        assertThat(smallest().read("device.precision=tf32").device().compute().precision())
                .isEqualTo(Precision.TF32);
    }
}
