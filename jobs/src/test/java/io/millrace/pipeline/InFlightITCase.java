package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Proves that the number of batches in flight does not change the trained model. */
class InFlightITCase {
    @TempDir
    Path folder;

    @Test
    void numberOfBatchesInFlightDoesNotChangeTheModel() throws Exception {
        Path file = Files.writeString(folder.resolve("flight.yaml"), """
                name: flight
                dataset: {format: synthetic, size: 500, shape: [8, 8, 3], classes: 10, epochs: 2}
                evaluate: {dataset: {format: synthetic, size: 50, shape: [8, 8, 3], classes: 10}}
                parallelism: 2
                transforms: [RandomHorizontalFlip]
                batch: {size: 16}
                device: {transforms: [ToFloat]}
                train: {model: {mlp: {hidden: [16]}}, threads: 1, accumulate: 3}
                """);
        Set<String> hashes = new HashSet<>();
        for (int batches : new int[] {2, 4, 8}) {
            Path run = folder.resolve("of-" + batches);
            hashes.add(String.valueOf(RankRun.of(file, run, 1, "device.batches_in_flight=" + batches)
                    .whole()
                    .result()
                    .parametersSha256()));
        }
        assertThat(hashes).hasSize(1).doesNotContain("null");
    }
}
