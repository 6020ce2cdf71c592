package io.millrace.dataset.hdf5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.Mutation;
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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files are written by h5py: src/test/python/hdf5_vectors.py. */
class Hdf5DatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/hdf5");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"contiguous", "chunked", "gzip", "latest", "lzf"})
    void imagesAndLabelsAreReadByDefault(String file) throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        try (Dataset dataset = open(file, Map.of())) {
            assertThat(dataset.size()).isEqualTo(10);
            for (int i : new int[] {9, 0, 4, 3, 2, 8}) {
                Sample sample = dataset.read(i);
                assertThat(sample.key()).isEqualTo(file + ".h5#" + i);
                assertThat(sample.label()).isEqualTo(i % 3).isEqualTo(dataset.label(i));
                assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
                StoredRows.assertHolds(sample.image(), rows.get(i).get("images"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"contiguous", "chunked", "gzip", "latest"})
    void datasetsInGroupsAndOfBigEndianNumbersHaveTheWritersValues(String file) throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        Map<String, Object> fields = new TreeMap<>(Map.of("image", "more/gray", "floats", "more/floats"));
        try (Dataset dataset = open(file, Map.of("fields", fields))) {
            for (int i = 0; i < 10; i++) {
                Sample sample = dataset.read(i);
                assertThat(sample.image().shape()).containsExactly(5, 4, 1);
                assertThat(StoredRows.numbers(sample.image()))
                        .isEqualTo(flat(rows.get(i).get("gray")));
                StoredRows.assertHolds(sample.field("floats"), rows.get(i).get("floats"));
            }
        }
    }

    private static List<Double> flat(JsonNode lists) {
        List<Double> numbers = new java.util.ArrayList<>();
        lists.forEach(line -> line.forEach(number -> numbers.add(number.asDouble())));
        return numbers;
    }

    @Test
    void valuesOfVaryingLengthHaveTheWritersBytes() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        Map<String, Object> fields =
                new TreeMap<>(Map.of("image", "images", "ids", "ids", "names", "names", "flags", "flags"));
        try (Dataset dataset = open("vlen", Map.of("fields", fields))) {
            for (int i = 0; i < 10; i++) {
                Sample sample = dataset.read(i);
                StoredRows.assertHolds(sample.image(), rows.get(i).get("pngs"));
                for (String name : List.of("ids", "names", "flags")) {
                    StoredRows.assertHolds(sample.field(name), rows.get(i).get(name));
                }
            }
        }
    }

    @Test
    void rowsThatWereNeverWrittenHaveTheFillValue() throws IOException {
        try (Dataset dataset = open("vlen", Map.of("fields", List.of("sparse")))) {
            assertThat(dataset.read(0).field("sparse").data()).isEqualTo(new byte[] {7, 7});
            assertThat(dataset.read(8).field("sparse").data()).isEqualTo(new byte[] {1, 2});
            assertThat(dataset.read(9).field("sparse").data()).isEqualTo(new byte[] {7, 7});
        }
    }

    @Test
    void unsupportedDatasetsAreRefusedWithTheReason() throws IOException {
        assertRefused(
                "vlen",
                Map.of("fields", List.of("names", "short")),
                "dataset 'names' has 10 rows; expected as many rows in 'short', found 4");
        assertRefused(
                "gzip",
                Map.of("fields", List.of("nothing")),
                "has no dataset 'nothing'; at its root it has [images, labels, more]");
        assertRefused("gzip", Map.of("fields", List.of("more")), "has no dataset 'more'");
        Path file = Files.write(folder.resolve("x.h5"), new byte[100]);
        assertThatThrownBy(() -> openPath(file, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(
                        "is no HDF5 file, or is damaged: at offset 0 expected the signature of HDF5, found other"
                                + " bytes");
    }

    @Test
    void truncatedFileIsRefusedOrHasBadSamples() throws IOException {
        byte[] sound = Files.readAllBytes(VECTORS.resolve("contiguous.h5"));
        Path file = Files.write(folder.resolve("x.h5"), Arrays.copyOf(sound, sound.length - 400));
        assertThatThrownBy(() -> {
                    try (Dataset dataset =
                            openPath(file, Map.of("fields", Map.of("f", "more/floats", "i", "more/gray")))) {
                        dataset.read(9);
                    }
                })
                .isInstanceOf(IOException.class);
    }

    @Test
    void flippedByteOfAChunkWithAChecksumIsABadSample() throws IOException {
        byte[] bytes = Files.readAllBytes(VECTORS.resolve("latest.h5"));
        int quarantined = 0;
        for (int at = 1200; at < bytes.length - 200; at += 97) {
            byte[] flipped = bytes.clone();
            flipped[at] ^= 4;
            Path file = Files.write(folder.resolve("x.h5"), flipped);
            try (Dataset dataset = openPath(file, Map.of())) {
                for (int i = 0; i < 10; i++) {
                    try {
                        dataset.read(i);
                    } catch (BadSampleException e) {
                        quarantined++;
                    }
                }
            } catch (DatasetException e) {
                // The byte is in the metadata.
            }
        }
        assertThat(quarantined).isPositive();
    }

    @Test
    void manyThreadsReadTheSameRows() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        try (Dataset dataset = open("gzip", Map.of())) {
            IntStream.range(0, 3_000).parallel().forEach(i -> {
                try {
                    StoredRows.assertHolds(
                            dataset.read(i % 10).image(), rows.get(i % 10).get("images"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"contiguous", "gzip", "latest", "vlen"})
    void damagedFileEndsInSamplesOrExceptions(String file) throws IOException {
        DamagedFiles.Outcomes outcomes = damaged(file, IntStream.range(0, Mutation.CASES));
        assertThat(outcomes.refused()).isPositive();
        assertThat(outcomes.whole()).isPositive();
    }

    @ParameterizedTest(name = "{0}: {2}")
    @CsvSource({"gzip, 7293, width of shuffled elements", "vlen, 35209, bytes of a fill value"})
    void damagedNumberTakesNeitherTimeNorMemory(String file, int number, String what) throws IOException {
        DamagedFiles.Outcomes outcome = damaged(file, IntStream.of(number));
        assertThat(outcome.refused() + outcome.badSamples() + outcome.whole())
                .as(what)
                .isOne();
    }

    private DamagedFiles.Outcomes damaged(String file, IntStream numbers) throws IOException {
        Object fields = file.equals("vlen")
                ? List.of("images", "ids", "names", "flags", "sparse")
                : new TreeMap<>(Map.of("image", "images", "label", "labels", "floats", "more/floats"));
        return DamagedFiles.read(
                VECTORS.resolve(file + ".h5"),
                folder.resolve(file + ".h5"),
                damaged -> openPath(damaged, Map.of("fields", fields)),
                numbers);
    }

    private static void assertRefused(String file, Map<String, Object> options, String message) {
        assertThatThrownBy(() -> open(file, options))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(VECTORS.resolve(file + ".h5").toString())
                .hasMessageContaining(message);
    }

    private static Dataset open(String file, Map<String, Object> options) throws IOException {
        return openPath(VECTORS.resolve(file + ".h5"), options);
    }

    private static Dataset openPath(Path file, Map<String, Object> options) throws IOException {
        Map<String, Object> all = new TreeMap<>(options);
        all.put("path", file.toString());
        return new DatasetSpec("hdf5", OptionValues.of(new Hdf5Format().options(), all)).open();
    }
}
