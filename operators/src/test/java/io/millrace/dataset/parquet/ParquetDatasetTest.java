package io.millrace.dataset.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.columns.DamagedFiles;
import io.millrace.dataset.columns.StoredRows;
import io.millrace.option.OptionValues;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of files that pyarrow and Hugging Face's datasets wrote, see src/test/python/parquet_vectors.py. */
class ParquetDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/parquet");
    private static final List<String> COLUMNS = List.of(
            "name", "i8", "u8", "u16", "i32", "u32", "f16", "f32", "f64", "flag", "ids", "grid", "cube", "pixels");
    private static final int ROWS = 20;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"plain", "dictionary"})
    void everyColumnHasTheWritersValues(String file) throws IOException {
        assertColumns(file, COLUMNS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"snappy", "gzip", "zstd", "lz4", "pages", "indexed", "second"})
    void everyCompressionAndPageLayoutHasTheWritersValues(String file) throws IOException {
        assertColumns(file, List.of("name", "ids", "grid"));
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        try (Dataset dataset = open(file, Map.of())) {
            for (int i : IntStream.range(0, ROWS).map(i -> i * 7 % ROWS).toArray()) {
                Sample sample = dataset.read(i);
                assertThat(sample.key()).isEqualTo(file + ".parquet#" + i);
                assertThat(sample.label()).isEqualTo(i % 3).isEqualTo(dataset.label(i));
                StoredRows.assertHolds(sample.image(), rows.get(i).get("image").get("bytes"));
            }
        }
    }

    @Test
    void deltaAndSplitEncodingsHaveTheWritersValues() throws IOException {
        assertColumns("delta", List.of("name", "i32", "f32"));
    }

    @Test
    void filesOfTheHubHaveImagesLabelsAndClassNames() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        try (Dataset dataset = open("hub", Map.of())) {
            assertThat(dataset.classes()).containsExactly("ant", "bee", "cow");
            for (int i = 0; i < ROWS; i++) {
                assertThat(dataset.read(i).label()).isEqualTo(i % 3);
                StoredRows.assertHolds(
                        dataset.read(i).image(), rows.get(i).get("image").get("bytes"));
            }
        }
    }

    @Test
    void fieldsHaveTheKindsThatThePipelineFileSets() throws IOException {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("mask", Map.of("from", "image", "as", "mask"));
        fields.put("width", "meta.width");
        fields.put("height", "meta.deep.height");
        fields.put("vector", Map.of("from", "pixels", "as", "tensor"));
        fields.put("image", "grid");
        fields.put("digest", Map.of("from", "digest", "as", "tensor"));
        fields.put("label", "name");
        try (Dataset dataset = open("plain", Map.of("fields", fields, "classes", List.of("a longer name", "zwölf")))) {
            Sample sample = dataset.read(8);
            assertThat(sample.label()).isEqualTo(0);
            assertThat(dataset.label(7)).isEqualTo(1);
            assertThat(sample.field("mask").kind()).isEqualTo(FieldKind.MASK);
            assertThat(StoredRows.numbers(sample.field("width"))).containsExactly(8.0);
            assertThat(StoredRows.numbers(sample.field("height"))).containsExactly(16.0);
            assertThat(sample.field("vector").kind()).isEqualTo(FieldKind.TENSOR);
            assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
            assertThat(sample.image().shape()).containsExactly(2, 3, 1);
            assertThat(sample.field("digest").data()).isEqualTo(new byte[] {8, 8, 8, 8, 8});
        }
    }

    @Test
    void severalFilesAreOneDataset() throws IOException {
        try (Dataset dataset = openPaths(
                List.of(
                        VECTORS.resolve("zstd.parquet").toString(),
                        VECTORS.resolve("gzip.parquet").toString()),
                Map.of("fields", List.of("name")))) {
            assertThat(dataset.size()).isEqualTo(2 * ROWS);
            assertThat(dataset.read(ROWS).key()).isEqualTo("gzip.parquet#0");
            assertThat(dataset.read(ROWS - 1).key()).isEqualTo("zstd.parquet#19");
        }
    }

    @Test
    void nullsAndListsWithoutAFixedShapeAreBadSamples() throws IOException {
        assertBadSample("maybe", 1, "column 'maybe': expected a value, found null");
        assertBadSample("maybe_ids", 5, "column 'maybe_ids': expected a value, found null");
        assertBadSample("holes", 0, "column 'holes': expected inner lists of one length without nulls, found others");
        assertBadSample(
                "ragged_grid",
                0,
                "column 'ragged_grid': expected inner lists of one length without nulls, found others");
        assertColumnRow("maybe", 2);
        assertColumnRow("maybe_ids", 6);
    }

    private static void assertBadSample(String column, int row, String reason) throws IOException {
        try (Dataset dataset = open("plain", Map.of("fields", List.of(column)))) {
            assertThatThrownBy(() -> dataset.read(row))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage(reason);
        }
    }

    private static void assertColumnRow(String column, int row) throws IOException {
        try (Dataset dataset = open("plain", Map.of("fields", List.of(column)))) {
            StoredRows.assertHolds(
                    dataset.read(row).field(column),
                    StoredRows.of(VECTORS.resolve("rows.json")).get(row).get(column));
        }
    }

    @Test
    void unsupportedColumnsAreRefusedWithTheReason() {
        assertRefused(
                "brotli",
                Map.of(),
                "column 'image' is compressed with BROTLI, which is not supported; no maintained library");
        assertRefused(
                "plain", Map.of("fields", List.of("when")), "column 'when' is of the type int64 (timestamp), which");
        assertRefused("plain", Map.of("fields", List.of("names")), "column 'names' is of the type list of byte_array");
        assertRefused("plain", Map.of("fields", List.of("meta")), "name one of them, for example 'meta.width'");
        assertRefused(
                "plain", Map.of("fields", List.of("nothing")), "has no column 'nothing'; it has image, label, name");
        assertRefused("plain", Map.of("fields", List.of("meta/width")), "is written with a dot: meta.width");
        assertRefused("delta", Map.of(), "has no column 'image', and not exactly one column holds encoded images");
    }

    @Test
    void truncatedAndOtherFilesAreRefused() throws IOException {
        byte[] sound = Files.readAllBytes(VECTORS.resolve("plain.parquet"));
        Path file = folder.resolve("x.parquet");
        Files.write(file, Arrays.copyOf(sound, 9_000));
        assertThatThrownBy(() -> openPaths(List.of(file.toString()), Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessage(file + " is cut off: expected a Parquet file to end with PAR1, found the end of the file at"
                        + " offset 9000 without it");
        Files.write(file, new byte[20]);
        assertThatThrownBy(() -> openPaths(List.of(file.toString()), Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessage(file + " is no Parquet file: at offset 0 expected PAR1, found other bytes");
    }

    @Test
    void flippedByteOfAPageWithAChecksumIsABadSampleWithItsOffset() throws IOException {
        byte[] bytes = Files.readAllBytes(VECTORS.resolve("second.parquet"));
        int at = indexOf(
                bytes,
                StoredRows.of(VECTORS.resolve("rows.json"))
                        .get(0)
                        .get("image")
                        .get("bytes")
                        .asText());
        bytes[at + 30] ^= 1;
        Path file = Files.write(folder.resolve("x.parquet"), bytes);
        try (Dataset dataset = openPaths(List.of(file.toString()), Map.of())) {
            assertThatThrownBy(() -> dataset.read(0)).isInstanceOfSatisfying(BadSampleException.class, e -> {
                assertThat(e.reason()).startsWith("column 'image': expected a page with the checksum ");
                assertThat(e.offset()).isBetween(0L, (long) at);
                assertThat(e.file()).isEqualTo("x.parquet#0");
            });
            assertThat(dataset.read(19).label()).isEqualTo(1);
        }
    }

    /** Returns the position of the bytes. zstd hardly compresses PNGs, so it stores their beginning unchanged. */
    private static int indexOf(byte[] bytes, String hex) {
        byte[] start = Arrays.copyOf(HexFormat.of().parseHex(hex), 16);
        for (int i = 0; i < bytes.length - start.length; i++) {
            if (Arrays.equals(bytes, i, i + start.length, start, 0, start.length)) {
                return i;
            }
        }
        throw new AssertionError("not found");
    }

    @Test
    void manyThreadsReadTheSameRows() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        try (Dataset dataset = open("indexed", Map.of())) {
            IntStream.range(0, 5_000).parallel().forEach(i -> {
                try {
                    StoredRows.assertHolds(
                            dataset.read(i % ROWS).image(),
                            rows.get(i % ROWS).get("image").get("bytes"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "dictionary", "snappy", "gzip", "lz4", "indexed", "second", "delta"})
    void damagedFileEndsInSamplesOrExceptions(String file) throws IOException {
        List<String> columns =
                switch (file) {
                    case "plain", "dictionary" -> COLUMNS;
                    case "delta" -> List.of("name", "i32", "label", "f32");
                    default -> List.of("image", "label", "name", "ids", "grid");
                };
        DamagedFiles.Outcomes outcomes = DamagedFiles.read(
                VECTORS.resolve(file + ".parquet"),
                folder.resolve(file),
                damaged -> openPaths(List.of(damaged.toString()), Map.of("fields", columns)));
        assertThat(outcomes.refused()).isPositive();
        assertThat(outcomes.badSamples()).isPositive();
    }

    private static void assertColumns(String file, List<String> columns) throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        try (Dataset dataset = open(file, Map.of("fields", columns))) {
            assertThat(dataset.size()).isEqualTo(ROWS);
            for (int i = 0; i < ROWS; i++) {
                Sample sample = dataset.read(i);
                for (String column : columns) {
                    StoredRows.assertHolds(sample.field(column), rows.get(i).get(column));
                }
            }
        }
    }

    private static void assertRefused(String file, Map<String, Object> options, String message) {
        assertThatThrownBy(() -> open(file, options))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(VECTORS.resolve(file + ".parquet").toString())
                .hasMessageContaining(message);
    }

    private static Dataset open(String file, Map<String, Object> options) throws IOException {
        return openPaths(List.of(VECTORS.resolve(file + ".parquet").toString()), options);
    }

    private static Dataset openPaths(List<String> paths, Map<String, Object> options) throws IOException {
        Map<String, Object> all = new TreeMap<>(options);
        all.put("path", paths);
        return new DatasetSpec("parquet", OptionValues.of(new ParquetFormat().options(), all)).open();
    }
}
