package io.millrace.cli;

import io.millrace.generate.ExistingFiles;
import io.millrace.generate.Generators;
import io.millrace.generate.ProgressListener;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Data and pipeline files that train in a second. */
public final class SmallData {
    private SmallData() {}

    /** Generates digits in IDX files: 500 for training and 100 for evaluation. */
    public static Path digits(Path folder) throws IOException {
        return digits(folder, 500);
    }

    /** Generates digits in IDX files: some for training and 100 for evaluation. */
    public static Path digits(Path folder, int train) throws IOException {
        return generate("digits", folder, Map.of("train", (long) train, "test", 100L));
    }

    /** Generates photos of 96x72 pixels in 4 classes, some of which are bad. */
    public static Path photos(Path folder, int count, int bad, long seed) throws IOException {
        return generate(
                "photos",
                folder,
                Map.of("count", (long) count, "classes", 4L, "size", "96x72", "bad", (long) bad, "seed", seed));
    }

    private static Path generate(String name, Path folder, Map<String, Object> values) throws IOException {
        Generators.generate(
                name,
                OptionValues.of(Generators.options(name), values),
                folder,
                ExistingFiles.REFUSE,
                ProgressListener.silent());
        return folder;
    }

    /** Writes a pipeline that trains an mlp on digits, in batches of 32. */
    public static Path digitsPipeline(Path file, Path digits, Path runs) throws IOException {
        return Files.writeString(file, """
                dataset: { format: idx, path: %s, epochs: 2 }
                transforms: [ RandomMask: { ratio: 0.05 } ]
                parallelism: 2
                batch: { size: 32 }
                device: { transforms: [ ToFloat ] }
                train: { model: { mlp: { hidden: [16] } } }
                run: { folder: %s, web_port: 0 }
                """.formatted(digits, runs));
    }

    /** Writes a pipeline that delivers digits, of which some pixels are masked at random, in batches of 32. */
    public static Path servedPipeline(Path file, Path digits, Path runs, int epochs) throws IOException {
        return Files.writeString(file, """
                name: digits
                dataset: { format: idx, path: %s, epochs: %d }
                transforms: [ RandomMask: { ratio: 0.05 } ]
                parallelism: 2
                batch: { size: 32 }
                device: { transforms: [ ToFloat ] }
                run: { folder: %s, web_port: 0 }
                """.formatted(digits, epochs, runs));
    }

    /** Writes a pipeline that trains a convnet on random crops of photos, in batches of 8. */
    public static Path photosPipeline(Path file, Path photos, Path runs) throws IOException {
        return Files.writeString(file, """
                dataset: { format: folder, path: %s, epochs: 2 }
                transforms:
                  - decode
                  - RandomResizedCrop: { size: [24, 24] }
                  - RandomHorizontalFlip
                  - RandomMask: { ratio: 0.1 }
                parallelism: 2
                batch: { size: 8, max_quarantined: 1.0 }
                device: { transforms: [ ToFloat ] }
                train: { model: { convnet: { channels: [4, 8] } } }
                run: { folder: %s, web_port: 0 }
                """.formatted(photos, runs));
    }
}
