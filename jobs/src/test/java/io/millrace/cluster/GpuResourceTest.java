package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;

class GpuResourceTest {
    private static GpuResource of(Map<String, String> settings) {
        return GpuResource.of("conf", Configuration.fromMap(settings));
    }

    @Test
    void theAmountCountsOnlyIfTheResourceIsListed() {
        assertThat(of(Map.of("external-resources", "gpu;data", "external-resource.gpu.amount", "2")))
                .isEqualTo(new GpuResource("conf", List.of("gpu", "data"), 2));
        assertThat(of(Map.of("external-resources", "data", "external-resource.gpu.amount", "2")))
                .isEqualTo(new GpuResource("conf", List.of("data"), 0));
        assertThat(of(Map.of())).isEqualTo(new GpuResource("conf", List.of(), 0));
    }
}
