package io.millrace.rest;

import io.millrace.pipeline.SlotRequirement;
import io.millrace.sample.Counted;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The description of the resources that a job waits for before it begins. Pure. */
public final class ResourceWait {
    private ResourceWait() {}

    /**
     * Returns a sentence about the resources; empty when the job does not wait for slots. A job that restarts waits for them if the
     * cluster has too few: Flink may give up the wait and begin it again.
     *
     * @param need the resources that the job needs
     * @param managers the TaskManagers of the cluster
     */
    public static Optional<String> sentence(JobTasks job, SlotRequirement need, List<TaskManagerReading> managers) {
        int slots = managers.stream().mapToInt(TaskManagerReading::slots).sum();
        if (!job.waitsForSlots() && !(job.restarts() && slots < need.slots())) {
            return Optional.empty();
        }
        int freeSlots = managers.stream().mapToInt(TaskManagerReading::free).sum();
        StringBuilder text = new StringBuilder("the job waits for ")
                .append(Counted.of(need.slots(), "slot"))
                .append(devices(need.devices()))
                .append(": the cluster has ");
        if (managers.isEmpty()) {
            text.append("no TaskManager");
        } else {
            text.append(slots)
                    .append(" in ")
                    .append(Counted.of(managers.size(), "TaskManager"))
                    .append(", ")
                    .append(freeSlots)
                    .append(" free");
        }
        Map<String, Double> there = sum(managers, TaskManagerReading::devices);
        Map<String, Double> free = sum(managers, TaskManagerReading::freeDevices);
        Set<String> names = new TreeSet<>(there.keySet());
        names.addAll(need.devices().keySet());
        for (String name : names) {
            text.append("; ").append(name).append(": ");
            text.append(
                    there.containsKey(name)
                            ? String.format(
                                    Locale.ROOT,
                                    "%.0f in all, %.0f free",
                                    there.get(name),
                                    free.getOrDefault(name, 0.0))
                            : "none");
        }
        return Optional.of(text.toString());
    }

    private static String devices(Map<String, Integer> needed) {
        return needed.isEmpty()
                ? ""
                : needed.entrySet().stream()
                        .map(device -> device.getKey() + ": " + device.getValue())
                        .collect(Collectors.joining(", ", " (", ")"));
    }

    private static Map<String, Double> sum(
            List<TaskManagerReading> managers, Function<TaskManagerReading, Map<String, Double>> of) {
        Map<String, Double> sum = new TreeMap<>();
        managers.forEach(
                manager -> of.apply(manager).forEach((device, number) -> sum.merge(device, number, Double::sum)));
        return sum;
    }
}
