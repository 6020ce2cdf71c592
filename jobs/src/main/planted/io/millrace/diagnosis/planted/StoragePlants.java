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
                    (model, known) -> model.scaled("read", 0.5))
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
                    (model, known) -> model.withSlots("read", 16))
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
                    (model, known) -> model.without(new Limit(Limit.Kind.SAMPLES, "read", 1)))
            .with(folder -> {
                PlantData.images(folder.resolve("even"), 32, 32);
                PlantData.images(folder.resolve("mixed"), 31, 32);
                PlantData.image(folder.resolve("mixed"), 31, 1024);
            });

    /**
     * One large file whose storage answers each request after 20 ms, as an object store does. The samples are read in random
     * order, so each of them is a request. The fix doubles the threads.
     */
    private static final Plant REQUESTS = new Plant(
                    "storage-latency",
                    Limit.Kind.STORAGE,
                    "read",
                    """
                    dataset: { format: npy, path: "throttled://bandwidth-0.each-0.open-0.request-20DATA", epochs: endless }
                    order: { shuffle: full }
                    parallelism: 2
                    batch: { size: 8 }
                    train: { model: none }
                    """,
                    List.of("read.threads=8", "read.read_ahead=8", "read.window=40"),
                    (model, known) -> model.withSlots("read", 16))
            .with(folder -> PlantData.blackAndWhite(folder, 2000, 32));

    /**
     * A Parquet file with one row group, and one page for each column. In random order, and with a cache that is smaller than
     * the page, each sample reads the whole page of 3 MB at 40 MB/s. After the fix the page fits into the cache.
     */
    private static final Plant ROW_GROUP = new Plant(
                    "one-huge-row-group",
                    Limit.Kind.STORAGE,
                    "read",
                    """
                    dataset: { format: parquet, path: "throttled://bandwidth-0.each-40000000.open-0DATA", cache_mib: 1, epochs: endless }
                    order: { shuffle: full }
                    parallelism: 1
                    read: { threads: 1 }
                    transforms: [ decode, Delay: { ms: 2, mode: sleep } ]
                    batch: { size: 4 }
                    train: { model: none }
                    """,
                    List.of("dataset.cache_mib=256"),
                    (model, known) -> model.without(new Limit(Limit.Kind.STORAGE, "read", 1)))
            .with(folder -> ParquetImages.write(folder, 1024, 1024, 32));

    /** Storage that needs 80 ms to open a file, before a slow transform. The fix of the storage doubles the speed at most. */
    private static final Plant TWO = new Plant(
                    "two-culprits",
                    Limit.Kind.STORAGE,
                    "read",
                    """
                    dataset: { format: folder, path: "throttled://bandwidth-0.each-0.open-80DATA", epochs: endless }
                    parallelism: 2
                    transforms: [ decode, Delay: { ms: 10, mode: sleep } ]
                    batch: { size: 8 }
                    train: { model: none }
                    """,
                    List.of("dataset.path=throttled://bandwidth-0.each-0.open-0DATA"),
                    (model, known) -> model.without(new Limit(Limit.Kind.STORAGE, "read", 1)))
            .then(Limit.Kind.SLOTS, "Delay")
            .with(folder -> PlantData.images(folder, 400, 16));

    private StoragePlants() {}

    static List<Plant> all() {
        return List.of(SLOW_STORAGE, SMALL_FILES, HUGE_FILE, REQUESTS, ROW_GROUP, TWO);
    }
}
