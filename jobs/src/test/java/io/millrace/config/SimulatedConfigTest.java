package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.SimulatedLink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

class SimulatedConfigTest {
    @TempDir
    Path folder;

    private PipelineConfig config(String... settings) throws Exception {
        return PipelineText.of(folder, PipelineText.SMALLEST).read(settings);
    }

    private SimulatedConfig read(String... settings) throws Exception {
        return config(settings).device().simulated();
    }

    @Test
    void nothingIsSimulatedByDefault() throws Exception {
        assertThat(read()).isEqualTo(SimulatedConfig.NONE);
    }

    @Test
    void settingsAreReadAndWritten() throws Exception {
        PipelineConfig config = config(
                "device.simulated_bandwidth=200MB/s",
                "device.simulated_latency=2ms",
                "device.simulated_network=1MiB/s",
                "device.simulated_step=290ms",
                "device.simulated_asynchronous=true");

        assertThat(config.device().simulated())
                .isEqualTo(new SimulatedConfig(
                        Optional.of(new SimulatedLink(200_000_000, Duration.ofMillis(2))),
                        Optional.of(new SimulatedLink(1 << 20, Duration.ZERO)),
                        Duration.ofMillis(290),
                        true));
        assertThat(PipelineText.of(folder, new Yaml().dump(config.toMap()))
                        .read()
                        .device()
                        .simulated())
                .isEqualTo(config.device().simulated());
    }

    /** The simulation trains on the host, where neither a GPU's number nor page-locked memory has an effect. */
    @Test
    void settingsThatRequireAGpuAreRejectedUnlessTheHostIsNamed() throws Exception {
        PipelineText text = PipelineText.of(folder, PipelineText.SMALLEST);
        String[] simulated = {"device.simulated_step=20ms", "device.index=1", "device.pinned=require"};
        assertThat(text.problems(simulated))
                .hasSize(2)
                .anyMatch(problem -> problem.contains("device.index: a simulated device uses no GPU"))
                .anyMatch(problem -> problem.contains("device.pinned: a simulated device uses no GPU"));
        assertThat(text.problems("device.simulated_asynchronous=true", "device.index=0"))
                .singleElement()
                .asString()
                .contains("device.index", "remove this key, or set kind: host");
        assertThat(config("device.kind=host", "device.simulated_step=20ms", "device.index=1")
                        .device()
                        .gpu()
                        .index())
                .contains(1);
        assertThat(config("device.simulated_network=1MB/s", "device.index=1")
                        .device()
                        .gpu()
                        .index())
                .contains(1);
    }

    @Test
    void latencyWithoutBandwidthLeavesItUnlimited() throws Exception {
        assertThat(read("device.simulated_latency=5ms").device())
                .contains(new SimulatedLink(SimulatedLink.UNLIMITED, Duration.ofMillis(5)));
    }

    @Test
    void rateWithoutPerSecondIsRejected() {
        assertThatThrownBy(() -> read("device.simulated_bandwidth=200MB"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("device.simulated_bandwidth")
                .hasMessageContaining("200MB/s");
        assertThatThrownBy(() -> read("device.simulated_network=0/s")).hasMessageContaining("above 0");
    }
}
