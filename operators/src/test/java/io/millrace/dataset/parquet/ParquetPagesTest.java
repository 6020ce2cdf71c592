package io.millrace.dataset.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.columns.DamagedFiles;
import io.millrace.dataset.columns.StoredRows;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of pages of all kinds. pyarrow wrote the files, see src/test/python/column_vectors.py. */
class ParquetPagesTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/parquet");
    private static final String NULL = "'expected a value, found null'";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "spanning, ids, ",
        "spanning, maybe, " + NULL,
        "values-as-rows, ids, ",
        "arrow-2, n, ",
        "encodings, flag, " + NULL,
        "encodings, delta32, " + NULL,
        "encodings, delta64, ",
        "encodings, lengths, " + NULL,
        "encodings, prefixes, " + NULL,
        "encodings, fixed, ",
        "encodings, split32, " + NULL,
        "encodings, split64, ",
        "encodings, half, ",
        "encodings, double, " + NULL,
        "encodings, lists, ",
        "encodings, digest, ",
        "unsigned, n, 'expected numbers below 2^63, found a larger one'",
        "unsigned, list, 'expected numbers below 2^63, found a larger one'"
    })
    void everyRowHasTheWritersValueOrIsBad(String file, String column, String reason) throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve(file + ".parquet.json"));
        try (Dataset dataset = open(VECTORS.resolve(file + ".parquet"), column, 256)) {
            assertThat(dataset.size()).isEqualTo(rows.size());
            int bad = 0;
            for (int i = rows.size() - 1; i >= 0; i--) {
                try {
                    assertHolds(dataset.read(i), column, rows.get(i).get(column));
                } catch (BadSampleException e) {
                    assertThat(e.reason()).isEqualTo("column '" + column + "': " + reason);
                    bad++;
                }
            }
            assertThat(bad)
                    .isEqualTo(rows.stream()
                            .filter(row -> !isReadable(row.get(column)))
                            .count());
        }
    }

    private static boolean isReadable(JsonNode value) {
        if (value.isArray()) {
            return IntStream.range(0, value.size()).allMatch(i -> isReadable(value.get(i)));
        }
        return !value.isNull() && !value.isBigInteger();
    }

    private static void assertHolds(Sample sample, String column, JsonNode expected) {
        if (column.equals("fixed") || column.equals("digest")) {
            assertThat(HexFormat.of().formatHex(sample.field("v").data())).isEqualTo(expected.asText());
        } else {
            StoredRows.assertHolds(sample.field("v"), expected);
        }
    }

    @Test
    void rowGroupOfMoreThan67MillionValuesIsReadInPartsThatFitIntoASmallCache() throws IOException {
        try (Dataset dataset = open(VECTORS.resolve("many.parquet"), "vector", 4)) {
            assertThat(dataset.size()).isEqualTo(100_000);
            for (int row : new int[] {99_999, 0, 50_000, 9_999, 10_000}) {
                Sample sample = dataset.read(row);
                assertThat(sample.field("v").shape()).containsExactly(768);
                int number = row / 10_000;
                assertThat(StoredRows.numbers(sample.field("v"))).containsOnly((double) number);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ids", "name"})
    void damagedOffsetIndexIsReplacedByTheHeadersOfThePages(String column) throws IOException {
        byte[] bytes = Files.readAllBytes(VECTORS.resolve("indexed.parquet"));
        int footer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 8);
        // The indexes are in front of the footer.
        Arrays.fill(bytes, bytes.length - 8 - footer - 400, bytes.length - 8 - footer, (byte) 0xFF);
        Path file = Files.write(folder.resolve("x.parquet"), bytes);
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        try (Dataset dataset = open(file, column, 256)) {
            for (int i = 0; i < dataset.size(); i++) {
                StoredRows.assertHolds(dataset.read(i).field("v"), rows.get(i).get(column));
            }
        }
    }

    @Test
    void rowsBeforeADamagedPageOfListsAreRead() throws IOException {
        byte[] bytes = Files.readAllBytes(VECTORS.resolve("spanning.parquet"));
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("spanning.parquet.json"));
        // The first column begins behind the magic number. Its pages have 8 to 16 values, so its middle is row 15 or
        // so.
        Arrays.fill(bytes, 1_500, 1_700, (byte) 0xFF);
        Path file = Files.write(folder.resolve("x.parquet"), bytes);
        try (Dataset dataset = open(file, "ids", 256)) {
            StoredRows.assertHolds(dataset.read(5).field("v"), rows.get(5).get("ids"));
            assertThatThrownBy(() -> dataset.read(44)).isInstanceOf(BadSampleException.class);
            StoredRows.assertHolds(dataset.read(50).field("v"), rows.get(50).get("ids"));
        }
    }

    @Test
    void levelsInTheDeprecatedEncodingAreReadFromTheHighestBit() {
        // The example of Parquet's page on encodings: the numbers 0 to 7, in 3 bits each.
        byte[] bytes = {0b00000101, 0b00111001, 0b01110111};
        RunLengths levels = RunLengths.ofPackedLevels(bytes, 0, 8, 3);
        assertThat(IntStream.range(0, 8).map(i -> levels.next())).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @ParameterizedTest
    @CsvSource({
        "parquet-cpp version 1.5.1-SNAPSHOT, true, false",
        "parquet-cpp-arrow version 3.0.0, false, false",
        "parquet-mr version 1.2.8 (build abc), false, true",
        "parquet-mr version 1.2.9 (build abc), false, false",
        "parquet-mr version 1.13.1, false, false",
        "parquet-mr, false, true",
        ", false, false"
    })
    void mistakesOfOldWritersAreKnownByTheirNames(String createdBy, boolean compresses, boolean omits) {
        assertThat(FileWriter.of(createdBy)).isEqualTo(new FileWriter(compresses, omits));
    }

    @ParameterizedTest
    @CsvSource({"spanning, ids grid maybe", "encodings, flag delta32 lengths prefixes fixed split64 half lists"})
    void damagedFileEndsInSamplesOrExceptions(String file, String columns) throws IOException {
        DamagedFiles.Outcomes outcomes = DamagedFiles.read(
                VECTORS.resolve(file + ".parquet"),
                folder.resolve(file),
                damaged -> open(damaged, Map.of("fields", List.of(columns.split(" ")))));
        assertThat(outcomes.refused()).isPositive();
        assertThat(outcomes.badSamples()).isPositive();
    }

    private static Dataset open(Path file, String column, long cacheMib) throws IOException {
        return open(file, Map.of("fields", Map.of("v", Map.of("from", column)), "cache_mib", cacheMib));
    }

    private static Dataset open(Path file, Map<String, Object> options) throws IOException {
        Map<String, Object> all = new TreeMap<>(options);
        all.put("path", file.toString());
        return new DatasetSpec("parquet", OptionValues.of(new ParquetFormat().options(), all)).open();
    }
}
