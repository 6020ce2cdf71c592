package io.millrace.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.inspect.DatasetSummary.BadEntry;
import io.millrace.pipeline.PipelineException;
import io.millrace.pipeline.RunPlanner;
import io.millrace.sample.Split;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Datasets of images in which the first, a middle and the last sample begin like no image. */
class UnlikeSamplesTest {
    private static final Path VECTORS = Path.of("../operators/src/test/resources/vectors/dataset/unlike");
    private static final String EXPECTED =
            "expected an image (JPEG, PNG, BMP, GIF, WebP, TIFF or PNM) as 'image', found ";

    @TempDir
    Path folder;

    private PipelineConfig config(String dataset, String transforms) throws Exception {
        Path file = Files.writeString(folder.resolve("unlike.yaml"), """
                dataset: { %s }
                transforms: [ %s ]
                train: { model: none }
                """.formatted(dataset, transforms));
        return ConfigReader.read(file, List.of());
    }

    private PipelineConfig images(String format, String extension) throws Exception {
        // A copy, because an index is written beside a tar or TFRecord file.
        Path file = Files.copy(VECTORS.resolve("images." + extension), folder.resolve("images." + extension));
        return config("format: " + format + ", path: " + file, "decode, { Resize: { size: [8, 8] } }");
    }

    @ParameterizedTest
    @CsvSource({"tar, tar", "parquet, parquet", "arrow, arrow", "hdf5, h5", "tfrecord, tfrecord", "lmdb, mdb"})
    void suchSamplesAreBadAndTheOthersAreRead(String format, String extension) throws Exception {
        PipelineConfig config = images(format, extension);

        DatasetSummary summary = DatasetInspector.inspect(config, Split.TRAIN, 7);
        assertThat(summary.bad()).extracting(BadEntry::index).containsExactly(0L, 3L, 6L);
        assertThat(summary.bad())
                .extracting(BadEntry::reason)
                .containsExactly(
                        EXPECTED + "44 bytes that begin like HTML",
                        EXPECTED + "600 bytes that are all 0",
                        EXPECTED + "0 bytes");
        assertThat(summary.first()).hasSize(4);
        DatasetScan scan = DatasetInspector.scan(config, Split.TRAIN, done -> {});
        assertThat(scan.bad()).isEqualTo(3);
        assertThat(RunPlanner.plan(config).batches().trainSamples()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{ name: key }", "{ label: folder, name: key }"})
    void pipelineThatReadsNoImageAtAllIsRefusedAtTheStart(String fields) throws Exception {
        PipelineConfig config = config(
                "format: lmdb, path: " + VECTORS.resolve("images.mdb").toAbsolutePath() + ", fields: " + fields,
                "decode");

        assertThatThrownBy(() -> RunPlanner.plan(config))
                .isInstanceOf(PipelineException.class)
                .hasMessageStartingWith("decode works on images, but sample images.mdb#0 has none, only [name]");
    }

    @Test
    void bytesThatNoTransformDecodesStayAsTheyAre() throws Exception {
        PipelineConfig config = config(
                "format: lmdb, path: " + VECTORS.resolve("images.mdb").toAbsolutePath()
                        + ", fields: { image: { from: value, as: ragged } }",
                "");

        assertThat(DatasetInspector.inspect(config, Split.TRAIN, 7).bad()).isEmpty();
        assertThat(DatasetInspector.scan(config, Split.TRAIN, done -> {}).bad()).isZero();
    }
}
