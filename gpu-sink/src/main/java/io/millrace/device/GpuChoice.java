package io.millrace.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The order in which a trainer tries to claim the GPUs of its machine: first those that the cluster assigned to its task,
 * then the others, beginning at its rank.
 *
 * <p>The cluster's plugin numbers all GPUs of the machine in the order of their PCI addresses, as {@code nvidia-smi} does.
 * The driver numbers the GPUs that {@code CUDA_VISIBLE_DEVICES} shows to this process, in the order of that variable, and
 * without it in the order of {@code CUDA_DEVICE_ORDER}. Both numbers are matched by the GPU's UUID. Pure.
 *
 * @param numbers the driver's numbers of the GPUs, all that this process may use
 * @param remark a sentence about an assigned GPU that cannot be used; null when there is none
 */
record GpuChoice(List<Integer> numbers, @Nullable String remark) {
    /**
     * A GPU that this process may use.
     *
     * @param uuid the UUID of the whole GPU, as "GPU-..."
     * @param name the UUID to claim, which differs for a part of a GPU: "MIG-..."
     */
    record Visible(int number, String uuid, String name) {}

    GpuChoice {
        numbers = List.copyOf(numbers);
    }

    /**
     * Returns the order for a trainer.
     *
     * @param visible the GPUs that the process may use, at least one
     * @param given the GPUs that the cluster assigned: numbers as of {@code nvidia-smi}, or UUIDs or their beginnings
     * @param machine the UUIDs of all GPUs of the machine in the order of {@code nvidia-smi}; empty when it is not known
     * @param setting the value of {@code CUDA_VISIBLE_DEVICES}; null when it is not set
     * @throws DeviceException when an assigned GPU does not exist
     */
    static GpuChoice of(
            List<Visible> visible, int rank, List<String> given, List<String> machine, @Nullable String setting) {
        Set<Integer> numbers = new LinkedHashSet<>();
        List<String> hidden = new ArrayList<>();
        for (String gpu : sorted(given)) {
            String name = uuid(gpu, machine);
            List<Integer> found = visible.stream()
                    .filter(each -> name != null && (each.uuid.startsWith(name) || each.name.startsWith(name)))
                    .map(Visible::number)
                    .toList();
            if (found.isEmpty()) {
                hidden.add(gpu);
            }
            numbers.addAll(found);
        }
        String remark = null;
        if (numbers.isEmpty() && !hidden.isEmpty()) {
            remark = "the cluster assigned the GPU " + String.join(", ", hidden) + " to this task, "
                    + (machine.isEmpty()
                            ? "but which GPU has that number is unknown, because NVML is missing or fails"
                            : "which CUDA_VISIBLE_DEVICES" + (setting == null ? "" : "='" + setting + "'")
                                    + " hides from this process")
                    + ": the trainer uses another GPU that is free";
        }
        for (int i = 0; i < visible.size(); i++) {
            numbers.add(visible.get((rank + i) % visible.size()).number);
        }
        return new GpuChoice(List.copyOf(numbers), remark);
    }

    /** Sorts numbers by their values; the cluster returns them in no order. */
    private static List<String> sorted(List<String> given) {
        return given.stream()
                .sorted(Comparator.comparingInt(GpuChoice::value).thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static int value(String gpu) {
        Integer number = number(gpu);
        return number == null ? Integer.MAX_VALUE : number;
    }

    private static @Nullable Integer number(String gpu) {
        try {
            return Integer.valueOf(gpu.strip());
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Returns the UUID, or its beginning, of an assigned GPU; null when it is not known. */
    private static @Nullable String uuid(String gpu, List<String> machine) {
        Integer number = number(gpu);
        boolean named = gpu.startsWith("GPU-") || gpu.startsWith("MIG-");
        if (number == null ? !named : number < 0 || (!machine.isEmpty() && number >= machine.size())) {
            throw new DeviceException("the cluster assigned the GPU '" + gpu
                    + "' to this task: expected its number, as nvidia-smi counts, or its UUID"
                    + (machine.isEmpty() ? "" : ", and this machine has the GPUs 0 to " + (machine.size() - 1)));
        }
        if (number == null) {
            return gpu;
        }
        return machine.isEmpty() ? null : machine.get(number);
    }
}
