package io.millrace.dataset.arrow;

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
import io.millrace.sample.DType;
import io.millrace.sample.Field;
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
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files are written by pyarrow and Hugging Face's datasets: src/test/python/arrow_vectors.py. */
class ArrowDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/arrow");
    private static final List<String> COLUMNS = List.of(
            "name",
            "view",
            "i8",
            "u16",
            "u32",
            "u64",
            "f16",
            "f32",
            "f64",
            "flag",
            "flags",
            "ids",
            "large_ids",
            "boxes",
            "grid",
            "pixels",
            "animal");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"file.arrow", "stream.arrow"})
    void everyColumnHasTheWritersValues(String file) throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("file.arrow.json"));
        try (Dataset dataset = open(file, Map.of("fields", COLUMNS))) {
            assertThat(dataset.size()).isEqualTo(10);
            for (int i = 0; i < 10; i++) {
                Sample sample = dataset.read(i);
                assertThat(sample.fieldNames()).isEqualTo(COLUMNS);
                for (String column : COLUMNS) {
                    StoredRows.assertHolds(sample.field(column), rows.get(i).get(column));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"file.arrow", "stream.arrow", "lz4.arrow", "zstd.arrow", "legacy.arrow", "feather.arrow"})
    void imageAndLabelAreReadByDefault(String file) throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("file.arrow.json"));
        try (Dataset dataset = open(file, Map.of())) {
            assertThat(dataset.classes()).isEmpty();
            for (int i : new int[] {9, 0, 5, 4, 3}) {
                Sample sample = dataset.read(i);
                assertThat(sample.key()).isEqualTo(file + "#" + i);
                assertThat(sample.fieldNames()).containsExactly("image");
                assertThat(sample.label()).isEqualTo(i % 3).isEqualTo(dataset.label(i));
                StoredRows.assertHolds(sample.image(), rows.get(i).get("image").get("bytes"));
            }
            assertThat(dataset.storedBytes()).hasValue(Files.size(VECTORS.resolve(file)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lz4.arrow", "zstd.arrow"})
    void compressedColumnsHaveTheWritersValues(String file) throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("file.arrow.json"));
        List<String> columns = List.of("ids", "animal", "pixels");
        try (Dataset dataset = open(file, Map.of("fields", columns, "cache_mib", 1L))) {
            for (int i = 0; i < 10; i++) {
                for (String column : columns) {
                    StoredRows.assertHolds(
                            dataset.read(i).field(column), rows.get(i).get(column));
                }
            }
        }
    }

    @Test
    void fieldsHaveTheKindsThatThePipelineFileSets() throws IOException {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("mask", Map.of("from", "image", "as", "mask"));
        fields.put("width", "meta.width");
        fields.put("height", "meta.deep.height");
        fields.put("ids", Map.of("from", "pixels", "as", "ragged"));
        fields.put("image", "grid");
        fields.put("digest", Map.of("from", "digest", "as", "tensor"));
        fields.put("large", Map.of("from", "large", "as", "tensor"));
        try (Dataset dataset = open("file.arrow", Map.of("fields", fields))) {
            Sample sample = dataset.read(7);
            assertThat(sample.label()).isZero();
            assertThat(sample.field("mask").kind()).isEqualTo(FieldKind.MASK);
            assertThat(StoredRows.numbers(sample.field("width"))).containsExactly(7.0);
            assertThat(StoredRows.numbers(sample.field("height"))).containsExactly(14.0);
            assertThat(sample.field("ids").kind()).isEqualTo(FieldKind.RAGGED);
            assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
            assertThat(sample.image().shape()).containsExactly(2, 3, 1);
            assertThat(sample.field("digest").data()).isEqualTo(new byte[] {7, 7, 7, 7, 7});
            assertThat(sample.field("large").data()).isEqualTo(new byte[] {0, 1, 2, 3, 4, 5, 6});
        }
    }

    @Test
    void numbersOfFilesOnThisMachineAreLeftWhereTheyAreUnlessTheyMustBeChanged() throws IOException {
        try (Dataset dataset = open("tensors.arrow", Map.of("fields", List.of("tensor")))) {
            assertThat(dataset.read(7).field("tensor").stored()).isNotNull();
            assertThat(dataset.resident())
                    .as("the file was read by other tests")
                    .isTrue();
        }
        try (Dataset dataset = open("file.arrow", Map.of("fields", List.of("grid", "ids", "u64", "flag")))) {
            Sample sample = dataset.read(7);
            assertThat(sample.field("grid").stored()).isNotNull();
            assertThat(sample.field("ids").stored()).isNotNull();
            assertThat(sample.field("u64").stored()).as("checked").isNull();
            assertThat(sample.field("flag").stored()).as("bits").isNull();
            assertThat(dataset.resident()).as("lists have offsets").isFalse();
        }
        try (Dataset dataset = open("lz4.arrow", Map.of("fields", List.of("pixels")))) {
            assertThat(dataset.read(7).field("pixels").stored())
                    .as("compressed")
                    .isNull();
            assertThat(dataset.resident()).isFalse();
        }
    }

    @Test
    void valuesStayReadableAfterTheDatasetIsClosed() throws IOException {
        Field tensor;
        try (Dataset dataset = open("tensors.arrow", Map.of("fields", List.of("tensor")))) {
            tensor = dataset.read(7).field("tensor");
        }
        StoredRows.assertHolds(
                tensor,
                StoredRows.of(VECTORS.resolve("tensors.arrow.json")).get(7).get("tensor"));
    }

    @Test
    void fixedShapeTensorsHaveTheirShape() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("tensors.arrow.json"));
        try (Dataset dataset = open("tensors.arrow", Map.of("fields", List.of("tensor")))) {
            for (int i = 0; i < 10; i++) {
                Field tensor = dataset.read(i).field("tensor");
                assertThat(tensor.kind()).isEqualTo(FieldKind.TENSOR);
                assertThat(tensor.shape()).containsExactly(2, 3);
                StoredRows.assertHolds(tensor, rows.get(i).get("tensor"));
            }
        }
    }

    @Test
    void dictionaryThatGrowsAndIsReplacedBecomesTheClasses() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("dictionaries.arrows.json"));
        try (Dataset dataset = open("dictionaries.arrows", Map.of("fields", List.of("label")))) {
            assertThat(dataset.classes()).containsExactly("cat", "dog", "eel");
            for (int i = 0; i < 6; i++) {
                assertThat(dataset.classes().get((int) dataset.read(i).label()))
                        .isEqualTo(rows.get(i).get("label").asText());
            }
        }
    }

    @Test
    void dictionaryNamesThatAreDigitsAreNames() throws IOException {
        try (Dataset dataset = open("file.arrow", Map.of("fields", Map.of("label", "animal")))) {
            assertThat(dataset.classes()).containsExactly("cat", "dog", "7");
            assertThat(IntStream.range(0, 10).mapToLong(i -> label(dataset, i)))
                    .containsExactly(0L, 1L, 2L, 0L, 1L, 2L, 0L, 1L, 2L, 0L);
        }
    }

    @Test
    void savedDatasetHasImagesLabelsAndClassNames() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("saved.json"));
        try (Dataset dataset = open("saved/train", Map.of())) {
            assertThat(dataset.size()).isEqualTo(10);
            assertThat(dataset.classes()).containsExactly("ant", "bee");
            assertThat(dataset.read(7).key()).isEqualTo("data-00001-of-00002.arrow#2");
            for (int i = 0; i < 10; i++) {
                assertThat(dataset.read(i).label()).isEqualTo(i % 2);
                StoredRows.assertHolds(dataset.read(i).image(), rows.get(i).get("img"));
            }
        }
        try (Dataset dataset =
                open("saved/train", Map.of("fields", Map.of("g", Map.of("from", "grid", "as", "tensor"))))) {
            StoredRows.assertHolds(dataset.read(6).field("g"), rows.get(6).get("grid"));
        }
    }

    @Test
    void folderOfSeveralSplitsIsRefusedWithTheirNames() {
        assertRefused(
                "saved",
                Map.of(),
                VECTORS.resolve("saved") + " holds several datasets: name the folder of one of" + " them, "
                        + VECTORS.resolve("saved") + "/train");
    }

    @Test
    void stateThatNamesFilesElsewhereIsRefused() throws IOException {
        for (String name : List.of("../secret.arrow", "..", "/etc/passwd", "a\\\\b")) {
            Files.writeString(folder.resolve("state.json"), "{\"_data_files\":[{\"filename\":\"" + name + "\"}]}");
            assertThatThrownBy(() -> openPath(folder, Map.of()))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageContaining("expected names of files in its folder, found '");
        }
    }

    @Test
    void nullIsABadSampleAndOtherRowsAreRead() throws IOException {
        try (Dataset dataset = open("file.arrow", Map.of("fields", List.of("maybe")))) {
            assertThat(StoredRows.numbers(dataset.read(2).field("maybe"))).containsExactly(2.0);
            assertThatThrownBy(() -> dataset.read(5))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("column 'maybe': expected a value, found null");
        }
    }

    @Test
    void innerListsOfDifferentLengthsAreABadSample() throws IOException {
        try (Dataset dataset = open("file.arrow", Map.of("fields", List.of("ragged_grid")))) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("column 'ragged_grid': expected inner lists of one length, found 1 and 2 elements");
        }
    }

    @Test
    void missingAndUnreadableColumnsAreRefused() {
        assertRefused(
                "tensors.arrow",
                Map.of("fields", List.of("image")),
                VECTORS.resolve("tensors.arrow") + " has no column 'image'; it has tensor");
        assertRefused(
                "tensors.arrow",
                Map.of("fields", List.of("a/b")),
                VECTORS.resolve("tensors.arrow")
                        + " has no column 'a/b'; it has tensor. A column within a column is written with a dot: a.b");
        assertRefused(
                "tensors.arrow",
                Map.of(),
                VECTORS.resolve("tensors.arrow")
                        + " has no column 'image', and not exactly one column holds encoded images:"
                        + " name the columns to read with the key fields; its columns are tensor (FixedSizeList<UInt8>)");
        assertRefused(
                "file.arrow",
                Map.of("fields", List.of("when")),
                VECTORS.resolve("file.arrow") + ": column 'when' is of the type Timestamp, which is not supported");
        assertRefused(
                "file.arrow",
                Map.of("fields", List.of("meta")),
                VECTORS.resolve("file.arrow")
                        + ": column 'meta' consists of several columns: name one of them, for example 'meta.width'; with as:"
                        + " text, structs and lists are read as JSON text");
    }

    @Test
    void manyThreadsReadTheSameRows() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("file.arrow.json"));
        try (Dataset dataset = open("zstd.arrow", Map.of())) {
            IntStream.range(0, 5_000).parallel().forEach(i -> {
                try {
                    Sample sample = dataset.read(i % 10);
                    assertThat(sample.label()).isEqualTo(i % 10 % 3);
                    assertThat(sample.image().data())
                            .isEqualTo(HexFormat.of()
                                    .parseHex(rows.get(i % 10)
                                            .get("image")
                                            .get("bytes")
                                            .asText()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    @Test
    void truncatedFilesAreRefusedWithTheirLength() throws IOException {
        byte[] file = Files.readAllBytes(VECTORS.resolve("file.arrow"));
        Path cut = Files.write(folder.resolve("cut.arrow"), Arrays.copyOf(file, file.length - 700));
        assertThatThrownBy(() -> openPath(cut, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessage(cut + " is cut off: expected an Arrow file to end with ARROW1, found the end of the file at"
                        + " offset " + (file.length - 700) + " without it");

        byte[] stream = Files.readAllBytes(VECTORS.resolve("stream.arrow"));
        Files.write(cut, Arrays.copyOf(stream, stream.length - 700));
        assertThatThrownBy(() -> openPath(cut, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("before the file ends at " + (stream.length - 700));
    }

    @Test
    void otherFilesAreRefused() throws IOException {
        Path png = Files.write(folder.resolve("x.arrow"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 1, 2, 3, 4, 5, 6});
        assertThatThrownBy(() -> openPath(png, Map.of())).isInstanceOf(DatasetException.class);
        Files.write(png, new byte[0]);
        assertThatThrownBy(() -> openPath(png, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessage(png + " is empty; expected an Arrow IPC file or stream");
    }

    @ParameterizedTest
    @ValueSource(strings = {"file.arrow", "stream.arrow", "lz4.arrow", "zstd.arrow", "dictionaries.arrows"})
    void damagedFileEndsInSamplesOrExceptions(String file) throws IOException {
        List<String> columns =
                switch (file) {
                    case "file.arrow", "stream.arrow" -> COLUMNS;
                    case "dictionaries.arrows" -> List.of("label");
                    default -> List.of("image", "label", "ids", "animal", "pixels");
                };
        DamagedFiles.Outcomes outcomes = DamagedFiles.read(
                VECTORS.resolve(file), folder.resolve(file), damaged -> openPath(damaged, Map.of("fields", columns)));
        assertThat(outcomes.refused()).isPositive();
        assertThat(outcomes.badSamples() + outcomes.whole()).isPositive();
    }

    @Test
    void moreBuffersThanTheMetadataHoldsAreRefused() throws IOException {
        Path damaged = folder.resolve("damaged.arrow");
        byte[] sound = Files.readAllBytes(VECTORS.resolve("stream.arrow"));
        Files.write(damaged, DamagedFiles.damaged(sound, new SplittableRandom(47_319)));
        assertThatThrownBy(() -> openPath(damaged, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessageMatching(".*expected at most \\d+ buffers, found \\d+.*");
    }

    @Test
    void changesToASampleDoNotReachTheCache() throws IOException {
        try (Dataset dataset = open("file.arrow", Map.of("fields", List.of("image", "f32")))) {
            Sample sample = dataset.read(1);
            assertThat(sample.image().dtype()).isEqualTo(DType.ENCODED);
            Arrays.fill(sample.image().data(), (byte) 0);
            Arrays.fill(sample.field("f32").data(), (byte) 0);
            assertThat(dataset.read(1).image().data()[0]).isEqualTo((byte) 0x89);
        }
    }

    private static void assertRefused(String file, Map<String, Object> options, String message) {
        assertThatThrownBy(() -> open(file, options))
                .isInstanceOf(DatasetException.class)
                .hasMessage(message);
    }

    private static long label(Dataset dataset, int index) {
        try {
            return dataset.label(index);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Dataset open(String file, Map<String, Object> options) throws IOException {
        return openPath(VECTORS.resolve(file), options);
    }

    private static Dataset openPath(Path file, Map<String, Object> options) throws IOException {
        Map<String, Object> all = new TreeMap<>(options);
        all.put("path", file.toString());
        return new DatasetSpec("arrow", OptionValues.of(new ArrowFormat().options(), all)).open();
    }
}
