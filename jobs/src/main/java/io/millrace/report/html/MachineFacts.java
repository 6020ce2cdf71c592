package io.millrace.report.html;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.rest.MachinesReading;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The description of a run's machine, in lines for readers. Unknown facts are absent. */
public final class MachineFacts {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final double BYTES_PER_GIB = 1L << 30;

    private MachineFacts() {}

    /** Returns the facts about the machine of this process. */
    public static Map<String, String> here() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("system", system.getName() + " " + system.getVersion() + ", " + system.getArch());
        processor(PROCESSORS).ifPresent(model -> facts.put("processor", model));
        facts.put("cores", String.valueOf(Runtime.getRuntime().availableProcessors()));
        facts.put("memory", gibibytes(system.getTotalMemorySize()));
        facts.put("Java heap, at most", gibibytes(Runtime.getRuntime().maxMemory()));
        facts.put(
                "Java",
                System.getProperty("java.vm.name") + " " + Runtime.version() + ", "
                        + System.getProperty("java.vendor"));
        return facts;
    }

    /** Returns the facts about the machines of a cluster, as its REST interface reports them. */
    public static Map<String, String> of(MachinesReading cluster) {
        Map<String, String> facts = new LinkedHashMap<>();
        if (cluster.machines() != null) {
            facts.put("machines of the cluster", String.valueOf(cluster.machines()));
        }
        if (cluster.cores() != null) {
            facts.put("their cores", String.valueOf(cluster.cores()));
        }
        return facts;
    }

    /** Returns the model of the CPU. Only Linux has this file, and it does not contain the model of every CPU. */
    static Optional<String> processor(Path processors) {
        try (Stream<String> lines = Files.lines(processors)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static String gibibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f GiB", bytes / BYTES_PER_GIB);
    }
}
