package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import java.util.List;

/** The cases with a costly stage on the data servers. */
final class StagePlants {
    /** Large JPEGs. The delay prevents decode from looking ahead to the crop. */
    private static final Plant HEAVY_DECODE = new Plant(
                    "heavy-decode",
                    Limit.Kind.SLOTS,
                    "decode",
                    """
                    dataset: { format: folder, path: DATA/large, epochs: endless }
                    parallelism: 1
                    transforms: [ decode, Delay: { ms: 1, mode: sleep }, CenterCrop: { size: 32 } ]
                    batch: { size: 8 }
                    train: { model: none }
                    """,
                    List.of("dataset.path=DATA/small"),
                    (model, known) -> model.scaled("decode", 0.25))
            .with(folder -> {
                PlantData.jpegs(folder.resolve("large"), 16, 1600);
                PlantData.jpegs(folder.resolve("small"), 16, 800);
            });

    private static final Plant EARLY_TRANSFORM = new Plant(
            "heavy-transform-early",
            Limit.Kind.SLOTS,
            "GaussianBlur",
            """
            dataset: { format: synthetic, size: 4096, shape: [384, 384, 3], epochs: endless }
            parallelism: 1
            transforms: [ GaussianBlur: { kernel_size: 15 }, CenterCrop: { size: 96 }, Delay: { ms: 1, mode: sleep } ]
            batch: { size: 8 }
            train: { model: none }
            """,
            List.of(
                    "transforms=[CenterCrop: {size: 96}, GaussianBlur: {kernel_size: 15}, Delay: {ms: 1, mode: sleep}]"),
            (model, known) -> model.scaled("GaussianBlur", 1.0 / 16));

    private static final Plant LATE_TRANSFORM = new Plant(
            "heavy-transform-late",
            Limit.Kind.SLOTS,
            "Delay",
            """
            dataset: { format: synthetic, size: 4096, shape: [64, 64, 3], epochs: endless }
            parallelism: 2
            transforms: [ CenterCrop: { size: 32 }, RandomHorizontalFlip: { p: 0.5 }, Delay: { ms: 6, mode: sleep } ]
            batch: { size: 8 }
            train: { model: none }
            """,
            List.of("transforms.2.Delay.ms=2"),
            (model, known) -> model.scaled("Delay", 1.0 / 3));

    /**
     * Black and white images, sent as bits. Packing needs several passes to find out that bits are sufficient. They are so large
     * that the work for each row, whatever its size, takes little of the time.
     */
    private static final Plant PACKING = new Plant(
                    "large-rows",
                    Limit.Kind.SLOTS,
                    "pack",
                    """
                    dataset: { format: npy, path: DATA/large, epochs: endless }
                    parallelism: 1
                    batch: { size: 4, fields: { image: bits } }
                    train: { model: none }
                    """,
                    List.of("dataset.path=DATA/small"),
                    (model, known) -> model.scaled("read", 0.25)
                            .scaled("pack", 0.25)
                            .scaled(CapacityModel.ASSEMBLE, 0.25)
                            .scaled("transfer", 0.25))
            .with(folder -> {
                PlantData.blackAndWhite(folder.resolve("large"), 16, 1600);
                PlantData.blackAndWhite(folder.resolve("small"), 32, 800);
            });

    /**
     * A transform that computes for 4 ms, creates 16 MB of small objects for each sample, and keeps those of the last 16
     * samples. Each collection copies the kept objects, while all threads stand still. After the fix, the objects are garbage
     * when it collects.
     */
    private static final Plant GARBAGE = new Plant(
            "garbage-collection",
            Limit.Kind.COLLECTIONS,
            CapacityModel.COLLECTIONS,
            """
            dataset: { format: synthetic, size: 4096, shape: [32, 32, 3], epochs: endless }
            parallelism: 1
            transforms: [ Delay: { ms: 4, allocate: 16MB, hold: 16 } ]
            batch: { size: 8 }
            train: { model: none }
            """,
            List.of("transforms.0.Delay.hold=1"),
            (model, known) -> model.without(new Limit(Limit.Kind.COLLECTIONS, CapacityModel.COLLECTIONS, 1)));

    private StagePlants() {}

    static List<Plant> all() {
        return List.of(HEAVY_DECODE, EARLY_TRANSFORM, LATE_TRANSFORM, PACKING, GARBAGE);
    }
}
