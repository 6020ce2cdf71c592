package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests pipelines whose source passes several samples to the packer as one record, because nothing stands between them. */
class RowsITCase {
    private static final int SIZE = 700;
    private static final int EVALUATION = 50;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void pipeline() throws IOException {
        write("train", SIZE);
        write("test", EVALUATION);
        file = Files.writeString(folder.resolve("rows.yaml"), """
                name: rows
                dataset: {format: idx, images: %1$s/train-images, labels: %1$s/train-labels, epochs: 3}
                evaluate: {dataset: {format: idx, images: %1$s/test-images, labels: %1$s/test-labels}}
                batch: {size: 32}
                device: {transforms: [ToFloat]}
                train: {model: {mlp: {hidden: [16]}}, optimizer: {sgd: {learning_rate: 0.05}}, threads: 1}
                ledger: true
                """.formatted(folder));
    }

    private void write(String name, int items) throws IOException {
        byte[] pixels = new byte[items * 64];
        byte[] labels = new byte[items];
        new Random(items).nextBytes(pixels);
        for (int i = 0; i < items; i++) {
            labels[i] = (byte) (i % 10);
        }
        Files.write(
                folder.resolve(name + "-images"),
                ByteBuffer.allocate(16 + pixels.length)
                        .putInt(0x803)
                        .putInt(items)
                        .putInt(8)
                        .putInt(8)
                        .put(pixels)
                        .array());
        Files.write(
                folder.resolve(name + "-labels"),
                ByteBuffer.allocate(8 + items)
                        .putInt(0x801)
                        .putInt(items)
                        .put(labels)
                        .array());
    }

    @ParameterizedTest
    @ValueSource(strings = {"stages=fused", "stages=one_task", "parallelism=3"})
    void trainTheSameAsSamplesThatPassOneByOne(String setting) throws Exception {
        assertThat(passesRows("stages=separate")).isFalse();
        assertThat(passesRows(setting)).isTrue();

        Path rows = folder.resolve("rows");
        Path samples = folder.resolve("samples");
        String learned = RankRun.of(file, rows, 1, setting).whole().result().parametersSha256();
        assertThat(RankRun.of(file, samples, 1, "stages=separate")
                        .whole()
                        .result()
                        .parametersSha256())
                .isEqualTo(learned);
        assertThat(Files.readAllBytes(rows.resolve("ledger.csv")))
                .isEqualTo(Files.readAllBytes(samples.resolve("ledger.csv")))
                .isNotEmpty();
    }

    @Test
    void samplesThatMustBeChangedPassOneByOne() throws Exception {
        assertThat(passesRows("transforms=[RandomHorizontalFlip]")).isFalse();
        assertThat(passesRows("batch.wire={image: float32}"))
                .as("the packer converts each value")
                .isFalse();
    }

    private boolean passesRows(String setting) throws Exception {
        PipelineConfig config = TransformPlacement.of(ConfigReader.read(file, List.of(setting)));
        return PipelineStages.passesRows(config, RunPlanner.plan(config));
    }
}
