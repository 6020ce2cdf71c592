package io.millrace.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Says what a job waits for that has not begun. Pure. */
public final class ResourceWait {
    private ResourceWait() {}

    /**
     * A sentence; empty when the job does not wait for slots.
     *
     * @param slots that it needs
     * @param managers the TaskManagers that are there
     */
    public static Optional<String> sentence(JobTasks job, int slots, List<TaskManagerReading> managers) {
        if (!job.waitsForSlots()) {
            return Optional.empty();
        }
        int there = managers.stream().mapToInt(TaskManagerReading::slots).sum();
        int free = managers.stream().mapToInt(TaskManagerReading::free).sum();
        StringBuilder text = new StringBuilder("the job waits for ")
                .append(count(slots, "slot"))
                .append(": the cluster has ");
        if (managers.isEmpty()) {
            text.append("no TaskManager");
        } else {
            text.append(there)
                    .append(" in ")
                    .append(count(managers.size(), "TaskManager"))
                    .append(", ")
                    .append(free)
                    .append(" free");
        }
        Map<String, Double> freeDevices = sum(managers, TaskManagerReading::freeDevices);
        sum(managers, TaskManagerReading::devices)
                .forEach((device, number) -> text.append(String.format(
                        Locale.ROOT,
                        "; %s: %.0f there, %.0f free",
                        device,
                        number,
                        freeDevices.getOrDefault(device, 0.0))));
        return Optional.of(text.toString());
    }

    private static Map<String, Double> sum(
            List<TaskManagerReading> managers, Function<TaskManagerReading, Map<String, Double>> of) {
        Map<String, Double> sum = new TreeMap<>();
        managers.forEach(
                manager -> of.apply(manager).forEach((device, number) -> sum.merge(device, number, Double::sum)));
        return sum;
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
