package io.millrace.cli;

import io.millrace.cluster.GpuResource;
import io.millrace.device.FoundDevices;
import io.millrace.device.FoundDevices.FoundGpu;
import io.millrace.device.NumaNodes.Place;
import io.millrace.train.engine.EngineBridge;
import io.millrace.train.engine.EngineFacts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The devices of a machine, as lines for people and as JSON for scripts. Pure.
 *
 * @param engine the engine; null when it cannot be loaded
 * @param engineMissing the reason why the engine cannot be loaded
 * @param flink the GPUs in Flink's configuration; empty when FLINK_CONF_DIR names no folder
 */
record DevicesText(
        FoundDevices found,
        @Nullable EngineFacts engine,
        @Nullable String engineMissing,
        Optional<GpuResource> flink,
        Choice choice) {
    private static final double BYTES_PER_GIB = 1 << 30;
    private static final long BYTES_PER_KIB = 1024;

    /** The device that training would use, and the reason. */
    record Choice(String device, String reason) {}

    /** Returns one fact per line. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(fact("driver", driver()));
        for (FoundGpu gpu : found.gpus()) {
            lines.add(fact("gpu", gpu(gpu)));
        }
        if (found.gpus().isEmpty()) {
            lines.add(fact("gpu", "none found"));
        }
        if (found.visible() != null) {
            lines.add(fact("visible", "CUDA_VISIBLE_DEVICES is '" + found.visible() + "'"));
        }
        lines.add(fact(
                "nvml",
                found.nvmlMissing() == null ? "available: utilisation and power can be read" : found.nvmlMissing()));
        lines.add(fact("page-locked", locked()));
        lines.add(fact("numa", found.numa().describe()));
        warnings().forEach(warning -> lines.add(fact("warning", warning)));
        lines.add(fact("engine", describeEngine()));
        String bridge = describeBridge();
        if (bridge != null) {
            lines.add(fact("bridge", bridge));
        }
        lines.add(fact(
                "flink",
                flink.map(DevicesText::describe).orElse("FLINK_CONF_DIR is not set: no cluster configuration")));
        lines.add("training would use " + choice.device() + ": " + choice.reason());
        return lines;
    }

    private static String fact(String name, String value) {
        return String.format(Locale.ROOT, "%-12s %s", name, value);
    }

    private String driver() {
        String missing = found.missing();
        String version = found.driverVersion() == null ? "" : "NVIDIA " + found.driverVersion() + ", ";
        return missing == null ? version + "for CUDA up to " + found.cudaVersion() : version + missing;
    }

    private static String gpu(FoundGpu gpu) {
        String number = gpu.number() == null ? "hidden from this process" : "cuda:" + gpu.number();
        StringBuilder text = new StringBuilder(number).append(", ").append(gpu.name());
        Long memory = gpu.memoryBytes();
        if (memory != null) {
            text.append(String.format(Locale.ROOT, ", %.1f GiB", memory / BYTES_PER_GIB));
        }
        if (gpu.computeCapability() != null) {
            text.append(", compute capability ").append(gpu.computeCapability());
        }
        text.append(", ").append(gpu.uuid());
        Place place = gpu.place();
        return place == null
                ? text.toString()
                : text.append(", PCI ")
                        .append(place.pciAddress())
                        .append(", ")
                        .append(place.description())
                        .toString();
    }

    private List<String> warnings() {
        return found.gpus().stream()
                .flatMap(gpu -> Stream.ofNullable(gpu.place()))
                .flatMap(place -> Stream.ofNullable(place.warning()))
                .toList();
    }

    private String locked() {
        Long limit = found.lockedLimitBytes();
        if (limit == null) {
            return "the limit (ulimit -l) is not known";
        }
        return limit == Long.MAX_VALUE
                ? "no limit (ulimit -l)"
                : String.format(Locale.ROOT, "ulimit -l is %,d KiB", limit / BYTES_PER_KIB);
    }

    private String describeEngine() {
        EngineFacts known = engine;
        if (known == null) {
            return "cannot be loaded: " + engineMissing;
        }
        return "PyTorch " + known.version() + " by DJL, "
                + (known.flavor() == null ? "custom libraries" : known.flavor()) + ", "
                + (known.cuda() ? "for CUDA" : "not for CUDA") + ", from " + known.natives();
    }

    /** Describes DJL's native library; null when it is unknown. */
    private @Nullable String describeBridge() {
        EngineFacts known = engine;
        if (known == null || known.bridge() == null) {
            return null;
        }
        String warning = known.bridgeWarning();
        return warning != null
                ? warning
                : (known.bridge().forCuda() ? "for CUDA" : "not for CUDA") + ", "
                        + known.bridge().file();
    }

    private static String describe(GpuResource resource) {
        return resource.folder() + ": "
                + (resource.amount() > 0
                        ? "each TaskManager offers " + resource.amount() + " gpu"
                        : "no external resource called gpu"
                                + (resource.resources().isEmpty()
                                        ? ""
                                        : " (but " + String.join(", ", resource.resources()) + ")"));
    }

    /** Returns the facts as JSON. The names are fixed, because scripts rely on them. Null means unknown or absent. */
    Map<String, Object> json() {
        Map<String, @Nullable Object> driver = new LinkedHashMap<>();
        driver.put("version", found.driverVersion());
        driver.put("cuda", found.cudaVersion());
        driver.put("missing", found.missing());
        Map<String, @Nullable Object> engineFacts = new LinkedHashMap<>();
        engineFacts.put("version", engine == null ? null : engine.version());
        engineFacts.put("flavor", engine == null ? null : engine.flavor());
        engineFacts.put("cuda", engine == null ? null : engine.cuda());
        engineFacts.put("natives", engine == null ? null : engine.natives());
        engineFacts.put("missing", engineMissing);
        EngineBridge bridge = engine == null ? null : engine.bridge();
        engineFacts.put("bridge", bridge == null ? null : bridge.file().toString());
        engineFacts.put("bridge_cuda", bridge == null ? null : bridge.forCuda());
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("driver", driver);
        json.put("gpus", found.gpus().stream().map(DevicesText::json).toList());
        json.put("cuda_visible_devices", found.visible());
        json.put("nvml_missing", found.nvmlMissing());
        json.put("page_locked_limit_bytes", found.lockedLimitBytes());
        Map<String, @Nullable Object> numa = new LinkedHashMap<>();
        numa.put("cpus_by_node", found.numa().cpusByNode());
        numa.put("allowed_cpus", found.numa().allowedCpus());
        numa.put("allowed_memory_nodes", found.numa().allowedMemory());
        numa.put("warnings", warnings());
        json.put("numa", numa);
        json.put("engine", engineFacts);
        json.put("flink_gpus", flink.map(GpuResource::amount).orElse(null));
        json.put("training", Map.of("device", choice.device(), "reason", choice.reason()));
        return json;
    }

    private static Map<String, Object> json(FoundGpu gpu) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("number", gpu.number());
        json.put("name", gpu.name());
        json.put("uuid", gpu.uuid());
        json.put("memory_bytes", gpu.memoryBytes());
        json.put("compute_capability", gpu.computeCapability());
        json.put("visible", gpu.number() != null);
        json.put("pci_address", gpu.place() == null ? null : gpu.place().pciAddress());
        json.put("numa_node", gpu.place() == null ? null : gpu.place().node());
        return json;
    }
}
