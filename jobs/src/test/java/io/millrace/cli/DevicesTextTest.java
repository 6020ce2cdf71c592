package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cluster.GpuResource;
import io.millrace.device.FoundDevices;
import io.millrace.device.FoundDevices.FoundGpu;
import io.millrace.device.NumaNodes;
import io.millrace.device.NumaNodes.Place;
import io.millrace.train.engine.EngineBridge;
import io.millrace.train.engine.EngineFacts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DevicesTextTest {
    private static final NumaNodes HIDDEN = NumaNodes.read(Path.of("no-sys"), Path.of("no-status"));

    private static final DevicesText ALL = new DevicesText(
            new FoundDevices(
                    null,
                    "570.86.15",
                    "12.8",
                    List.of(
                            new FoundGpu(
                                    0,
                                    "NVIDIA H200",
                                    "GPU-1",
                                    150_000_000_000L,
                                    "9.0",
                                    new Place("0000:3b:00.0", 1, "NUMA node 1 with CPUs 8-15", "cuda:0 is far away")),
                            new FoundGpu(null, "NVIDIA H200", "GPU-2", null, null, null)),
                    null,
                    "0",
                    Long.MAX_VALUE,
                    HIDDEN),
            new EngineFacts(
                    "2.7.1",
                    null,
                    true,
                    "/opt/torch/lib",
                    new EngineBridge(Path.of("/opt/torch/lib/libdjl_torch.so"), true)),
            null,
            Optional.of(new GpuResource("/etc/flink", List.of("gpu"), 2)),
            new DevicesText.Choice("cuda", "there is one"));

    private static final DevicesText NOTHING = new DevicesText(
            new FoundDevices("no driver", null, null, List.of(), "no NVML", null, 8_388_608L, HIDDEN),
            null,
            "no engine",
            Optional.empty(),
            new DevicesText.Choice("host", "no driver"));

    @Test
    void availableDevicesArePrintedOneFactPerLine() {
        assertThat(ALL.lines())
                .containsExactly(
                        "driver       NVIDIA 570.86.15, for CUDA up to 12.8",
                        "gpu          cuda:0, NVIDIA H200, 139.7 GiB, compute capability 9.0, GPU-1, PCI 0000:3b:00.0,"
                                + " NUMA node 1 with CPUs 8-15",
                        "gpu          hidden from this process, NVIDIA H200, GPU-2",
                        "visible      CUDA_VISIBLE_DEVICES is '0'",
                        "nvml         available: utilisation and power can be read",
                        "page-locked  no limit (ulimit -l)",
                        "numa         the nodes are unknown, because the system does not show them; the CPUs on which this"
                                + " process may run are unknown",
                        "warning      cuda:0 is far away",
                        "engine       PyTorch 2.7.1 by DJL, custom libraries, for CUDA, from /opt/torch/lib",
                        "bridge       for CUDA, /opt/torch/lib/libdjl_torch.so",
                        "flink        /etc/flink: each TaskManager offers 2 gpu",
                        "training would use cuda: there is one");
    }

    @Test
    void bridgeWithoutCudaBesideLibtorchForCudaIsReported() {
        EngineFacts facts = new EngineFacts(
                "2.11.0", null, true, "/opt/torch/lib", new EngineBridge(Path.of("/opt/libdjl_torch.so"), false));
        DevicesText text = new DevicesText(ALL.found(), facts, null, ALL.flink(), ALL.choice());
        assertThat(text.lines())
                .contains(
                        "bridge       the bridge /opt/libdjl_torch.so was compiled without -DUSE_CUDA: it cannot empty"
                                + " PyTorch's cache, so that the memory of a closed trainer stays with this process until it ends."
                                + " Compile it again as docs/use/gpu-pytorch.md describes");
    }

    @Test
    void missingDevicesArePrintedWithTheReason() {
        assertThat(NOTHING.lines())
                .containsExactly(
                        "driver       no driver",
                        "gpu          none found",
                        "nvml         no NVML",
                        "page-locked  ulimit -l is 8,192 KiB",
                        "numa         the nodes are unknown, because the system does not show them; the CPUs on which this"
                                + " process may run are unknown",
                        "engine       cannot be loaded: no engine",
                        "flink        FLINK_CONF_DIR is not set: no cluster configuration",
                        "training would use host: no driver");
    }

    /** The names are fixed, because scripts rely on them. Null means unknown or absent. */
    @Test
    void namesAreFixed() throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        JsonNode all = mapper.readTree(mapper.writeValueAsString(ALL.json()));
        assertThat(all.fieldNames())
                .toIterable()
                .containsExactly(
                        "driver",
                        "gpus",
                        "cuda_visible_devices",
                        "nvml_missing",
                        "page_locked_limit_bytes",
                        "numa",
                        "engine",
                        "flink_gpus",
                        "training");
        assertThat(all.at("/gpus/0").toString())
                .isEqualTo(
                        "{\"number\":0,\"name\":\"NVIDIA H200\",\"uuid\":\"GPU-1\",\"memory_bytes\":150000000000,"
                                + "\"compute_capability\":\"9.0\",\"visible\":true,\"pci_address\":\"0000:3b:00.0\",\"numa_node\":1}");
        assertThat(all.at("/gpus/1/numa_node").isNull()).isTrue();
        assertThat(all.at("/numa").toString())
                .isEqualTo("{\"cpus_by_node\":{},\"allowed_cpus\":null,\"allowed_memory_nodes\":null,"
                        + "\"warnings\":[\"cuda:0 is far away\"]}");
        assertThat(all.at("/gpus/1/visible").asBoolean()).isFalse();
        JsonNode nothing = mapper.readTree(mapper.writeValueAsString(NOTHING.json()));
        assertThat(all.at("/engine/bridge").asText()).isEqualTo("/opt/torch/lib/libdjl_torch.so");
        assertThat(all.at("/engine/bridge_cuda").asBoolean()).isTrue();
        assertThat(nothing.at("/engine/bridge").isNull()).isTrue();
        assertThat(nothing.at("/engine/missing").asText()).isEqualTo("no engine");
        assertThat(nothing.at("/engine/cuda").isNull()).isTrue();
        assertThat(nothing.path("flink_gpus").isNull()).isTrue();
    }
}
