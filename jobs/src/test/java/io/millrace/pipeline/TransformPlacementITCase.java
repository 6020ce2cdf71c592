package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sink.figures.TrainReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proves that a pipeline trains the same model with its transforms on the servers and on the device. On the host, the
 * models are equal bit for bit.
 */
class TransformPlacementITCase {
    private static final String TRAIN = "transforms=[Resize: {size: [10, 12], place: %s},"
            + " ColorJitter: {brightness: 0.4, contrast: 0.4, saturation: 0.4, hue: 0.1, place: %s},"
            + " RandomHorizontalFlip: {place: %s}]";
    private static final String EVALUATE =
            "evaluate.transforms=[Resize: {size: [10, 12], place: %s}, RandomVerticalFlip: {place: %s}]";
    private static final String BATCHES = "device.transforms=[ToFloat: {place: %s}, Normalize: {mean: [0.4, 0.5, 0.6],"
            + " std: [0.2, 0.3, 0.25], place: %s}]";

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void pipeline() throws IOException {
        file = Files.writeString(folder.resolve("placed.yaml"), """
                name: placed
                dataset: {format: synthetic, size: 200, shape: [8, 9, 3], classes: 10, epochs: 2}
                evaluate: {dataset: {format: synthetic, size: 50, shape: [8, 9, 3], classes: 10}}
                parallelism: 2
                batch: {size: 32}
                train: {model: {mlp: {hidden: [16]}}, optimizer: {sgd: {learning_rate: 0.05}}, threads: 1}
                """);
    }

    @Test
    void everyPlaceOfTheTransformsTrainsTheSameModel() throws Exception {
        TrainReport servers = run("server", "server", "server", "server");
        TrainReport border = run("server", "device", "device", "device");
        TrainReport device = run("device", "device", "device", "device");

        assertThat(device.result().parametersSha256())
                .isEqualTo(servers.result().parametersSha256());
        assertThat(border.result().parametersSha256())
                .isEqualTo(servers.result().parametersSha256());
        assertThat(device.result().finalLoss()).isEqualTo(servers.result().finalLoss());
        assertThat(device.result().evaluationLoss()).isEqualTo(servers.result().evaluationLoss());
        assertThat(device.result().accuracy()).isEqualTo(servers.result().accuracy());
    }

    @Test
    void otherSeedDrawsOtherColorsOnTheDevice() throws Exception {
        TrainReport one = run("device", "device", "device", "device", "train.seed=1", "order.shuffle=none");
        TrainReport other =
                run("device", "device", "device", "device", "train.seed=1", "order.shuffle=none", "order.seed=7");
        TrainReport again = run("device", "device", "device", "device", "train.seed=1", "order.shuffle=none");
        assertThat(other.result().parametersSha256()).isNotEqualTo(one.result().parametersSha256());
        assertThat(again.result().parametersSha256()).isEqualTo(one.result().parametersSha256());
    }

    private TrainReport run(String resized, String changed, String flipped, String floats, String... more)
            throws Exception {
        String[] settings = new String[3 + more.length];
        settings[0] = TRAIN.formatted(resized, changed, flipped);
        settings[1] = EVALUATE.formatted(resized, flipped);
        settings[2] = BATCHES.formatted(floats, floats);
        System.arraycopy(more, 0, settings, 3, more.length);
        Path run = folder.resolve(
                String.join("-", resized, changed, floats) + "-" + more.length + "-" + System.nanoTime());
        return RankRun.of(file, run, 1, settings).whole();
    }
}
