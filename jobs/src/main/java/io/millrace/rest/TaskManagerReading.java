package io.millrace.rest;

import java.util.Map;

/**
 * A TaskManager, as Flink reports it.
 *
 * @param id Flink's id of the TaskManager
 * @param slots the number of its slots
 * @param free the number of its free slots
 * @param devices the number of its devices by name, such as {@code gpu}
 * @param freeDevices the number of its free devices by name
 */
public record TaskManagerReading(
        String id, int slots, int free, Map<String, Double> devices, Map<String, Double> freeDevices) {
    public TaskManagerReading {
        devices = Map.copyOf(devices);
        freeDevices = Map.copyOf(freeDevices);
    }
}
