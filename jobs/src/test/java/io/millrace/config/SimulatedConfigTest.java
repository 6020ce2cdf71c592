package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.SimulatedLink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulatedConfigTest {
    @TempDir
    Path folder;

    private SimulatedConfig read(String... settings) throws Exception {
        Path file = Files.writeString(folder.resolve("some.yaml"), PipelineText.SMALLEST);
        return ConfigReader.read(file, List.of(settings)).device().simulated();
    }

    @Test
    void nothingIsSimulatedUnlessAskedFor() throws Exception {
        assertThat(read()).isEqualTo(SimulatedConfig.NONE);
        assertThat(SimulatedConfig.NONE.written()).isEmpty();
    }

    @Test
    void allIsReadAndWrittenBack() throws Exception {
        SimulatedConfig all = read(
                "device.simulated_bandwidth=200MB/s",
                "device.simulated_latency=2ms",
                "device.simulated_network=1MiB/s",
                "device.simulated_step=290ms");

        assertThat(all)
                .isEqualTo(new SimulatedConfig(
                        Optional.of(new SimulatedLink(200_000_000, Duration.ofMillis(2))),
                        Optional.of(new SimulatedLink(1 << 20, Duration.ZERO)),
                        Duration.ofMillis(290)));
        assertThat(read(all.written().entrySet().stream()
                        .map(entry -> "device." + entry.getKey() + "=" + entry.getValue())
                        .toArray(String[]::new)))
                .isEqualTo(all);
    }

    @Test
    void latencyAloneLeavesTheBandwidth() throws Exception {
        assertThat(read("device.simulated_latency=5ms").device())
                .contains(new SimulatedLink(SimulatedLink.UNLIMITED, Duration.ofMillis(5)));
    }

    @Test
    void rateWithoutPerSecondIsRefused() {
        assertThatThrownBy(() -> read("device.simulated_bandwidth=200MB"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("device.simulated_bandwidth")
                .hasMessageContaining("200MB/s");
        assertThatThrownBy(() -> read("device.simulated_network=0/s")).hasMessageContaining("more than nothing");
    }
}
