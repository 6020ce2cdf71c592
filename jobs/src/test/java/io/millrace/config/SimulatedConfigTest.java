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
                "device.simulated_step=290ms");

        assertThat(config.device().simulated())
                .isEqualTo(new SimulatedConfig(
                        Optional.of(new SimulatedLink(200_000_000, Duration.ofMillis(2))),
                        Optional.of(new SimulatedLink(1 << 20, Duration.ZERO)),
                        Duration.ofMillis(290)));
        assertThat(PipelineText.of(folder, new Yaml().dump(config.toMap()))
                        .read()
                        .device()
                        .simulated())
                .isEqualTo(config.device().simulated());
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
