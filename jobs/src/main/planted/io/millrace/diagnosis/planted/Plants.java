package io.millrace.diagnosis.planted;

import java.util.List;
import java.util.stream.Stream;

/** The list of all planted bottlenecks. */
final class Plants {
    private Plants() {}

    static List<Plant> all() {
        return Stream.of(
                        StoragePlants.all(),
                        StagePlants.all(),
                        SlotPlants.all(),
                        PythonPlants.all(),
                        TextPlants.all(),
                        TransportPlants.all(),
                        TrainerPlants.all())
                .flatMap(List::stream)
                .toList();
    }

    static Plant named(String name) {
        return all().stream()
                .filter(plant -> plant.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no planted bottleneck '" + name + "', expected one of "
                        + all().stream().map(Plant::name).toList()));
    }
}
