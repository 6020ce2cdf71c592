package io.millrace.rest;

import java.util.Map;

/**
 * A TaskManager as Flink tells it.
 *
 * @param slots in all
 * @param free of these
 * @param devices what it has beside, as {@code gpu}, and how many
 * @param freeDevices of these
 */
public record TaskManagerReading(
        String id, int slots, int free, Map<String, Double> devices, Map<String, Double> freeDevices) {
    public TaskManagerReading {
        devices = Map.copyOf(devices);
        freeDevices = Map.copyOf(freeDevices);
    }
}
