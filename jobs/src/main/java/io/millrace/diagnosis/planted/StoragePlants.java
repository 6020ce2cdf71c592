package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.Limit;
import java.util.List;

/** The cases with slow storage or with files that are slow to read. */
final class StoragePlants {
    /** Files of 48 KB from storage with 10 MB/s. The fix doubles the bandwidth. */
    private static final Plant SLOW_STORAGE = new Plant(
                    "slow-storage",
                    Limit.Kind.STORAGE,
                    "read",
                    """
                    dataset: { format: folder, path: "throttled://bandwidth-10000000.each-0.open-0DATA", epochs: endless }
                    parallelism: 2
                    transforms: [ decode, CenterCrop: { size: 32 } ]
                    batch: { size: 8 }
                    train: { model: none }
                    """,
                    List.of("dataset.path=throttled://bandwidth-20000000.each-0.open-0DATA"),
                    (model, freed) -> model.scaled("read", 0.5))
            .with(folder -> PlantData.images(folder, 400, 128));

    /** Small files that need 20 ms to open, with 4 threads in each of 2 slots. The fix doubles the threads. */
    private static final Plant SMALL_FILES = new Plant(
                    "many-small-files",
                    Limit.Kind.STORAGE,
                    "read",
                    """
                    dataset: { format: folder, path: "throttled://bandwidth-0.each-0.open-20DATA", epochs: endless }
                    parallelism: 2
                    transforms: [ decode ]
                    batch: { size: 8 }
                    train: { model: none }
                    """,
                    List.of("read.threads=8", "read.read_ahead=8", "read.window=40"),
                    (model, freed) -> model.withSlots("read", 16))
            .with(folder -> PlantData.images(folder, 400, 16));

    /** One image of 32 is a thousand times as large as the others, and each file is read at 5 MB/s. */
    private static final Plant HUGE_FILE = new Plant(
                    "one-huge-file",
                    Limit.Kind.SAMPLES,
                    "read",
                    """
                    dataset: { format: folder, path: "throttled://bandwidth-0.each-5000000.open-0DATA/mixed", epochs: endless }
                    parallelism: 2
                    transforms: [ decode, CenterCrop: { size: 16 }, Delay: { ms: 2, mode: sleep } ]
                    batch: { size: 8 }
                    train: { model: none }
                    """,
                    List.of("dataset.path=throttled://bandwidth-0.each-5000000.open-0DATA/even"),
                    (model, freed) -> model.without(new Limit(Limit.Kind.SAMPLES, "read", 1)))
            .with(folder -> {
                PlantData.images(folder.resolve("even"), 32, 32);
                PlantData.images(folder.resolve("mixed"), 31, 32);
                PlantData.image(folder.resolve("mixed"), 31, 1024);
            });

    private StoragePlants() {}

    static List<Plant> all() {
        return List.of(SLOW_STORAGE, SMALL_FILES, HUGE_FILE);
    }
}
