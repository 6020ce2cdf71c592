package io.millrace.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.metrics.FigureValues;
import io.millrace.metrics.Figures;
import java.net.URI;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The machines that the cluster's TaskManagers run on. TaskManagers of one machine share its cores, which count once.
 * Machines are distinguished by their addresses, so a container with an address of its own is a machine. Null means
 * unknown.
 *
 * @param machines the number of machines
 * @param cores the number of cores of all machines
 * @param busyCores the cores that programs use: the mean of the machines where data is read, times the number of
 *     machines
 * @param taskManagerCores the cores that the TaskManagers use: the mean of the TaskManagers where data is read, times
 *     the number of TaskManagers
 */
public record MachinesReading(
        @Nullable Integer machines,
        @Nullable Integer cores,
        @Nullable Double busyCores,
        @Nullable Double taskManagerCores) {
    /** A reading without any known value. */
    public static final MachinesReading UNKNOWN = new MachinesReading(null, null, null, null);

    /**
     * Reads Flink's list of TaskManagers.
     *
     * @param managers {@code {"taskmanagers": [{"path", "hardware": {"cpuCores"}}]}}
     * @param machine the mean figures of a machine and of a process
     */
    static MachinesReading of(JsonNode managers, FigureValues machine) {
        Double busyCores = machine.number(Figures.MACHINE_BUSY_CORES);
        Double processCores = machine.number(Figures.PROCESS_BUSY_CORES);
        Map<String, Integer> cores = new HashMap<>();
        Set<String> processes = new HashSet<>();
        for (JsonNode manager : managers.path("taskmanagers")) {
            // The path is pekko.tcp://flink@host:port/user/rpc/..., and has no host and port within one process.
            URI path = URI.create(manager.path("path").asText());
            String process = String.valueOf(path.getAuthority());
            String host = path.getHost() == null ? process : path.getHost();
            processes.add(process);
            cores.merge(host, manager.path("hardware").path("cpuCores").asInt(), Math::max);
        }
        boolean known = !cores.isEmpty() && cores.values().stream().allMatch(count -> count > 0);
        return new MachinesReading(
                cores.isEmpty() ? null : Integer.valueOf(cores.size()),
                known
                        ? Integer.valueOf(cores.values().stream()
                                .mapToInt(Integer::intValue)
                                .sum())
                        : null,
                busyCores == null || cores.isEmpty() ? null : Double.valueOf(busyCores * cores.size()),
                processCores == null || cores.isEmpty() ? null : Double.valueOf(processCores * processes.size()));
    }

    /** Returns this reading, with the values of an earlier reading for those that are unknown. */
    MachinesReading orElse(MachinesReading earlier) {
        return new MachinesReading(
                known(machines, earlier.machines),
                known(cores, earlier.cores),
                known(busyCores, earlier.busyCores),
                known(taskManagerCores, earlier.taskManagerCores));
    }

    private static <T> @Nullable T known(@Nullable T value, @Nullable T earlier) {
        return value == null ? earlier : value;
    }
}
