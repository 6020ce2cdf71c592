package io.millrace.dataset.hdf5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.columns.DamagedFiles;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests with files of all kinds of indexes, types, layouts and links, which h5py wrote:
 * src/test/python/hdf5_kinds_vectors.py.
 */
class Hdf5KindsTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/hdf5/kinds");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "indexes-earliest",
                "indexes-v110",
                "indexes-latest",
                "masks",
                "types",
                "layouts",
                "links-earliest",
                "links-latest"
            })
    void datasetsHaveTheValuesThatH5pyReads(String file) throws IOException {
        int compared = 0;
        for (JsonNode kind : new ObjectMapper().readTree(Files.readString(VECTORS.resolve("kinds.json")))) {
            JsonNode rows = kind.get("rows");
            if (!kind.get("file").asText().equals(file) || rows.isNull()) {
                continue;
            }
            try (Dataset dataset = open(file, kind.get("dataset").asText())) {
                assertThat(dataset.size()).isEqualTo(rows.size());
                for (int row = 0; row < rows.size(); row++) {
                    Field found = dataset.read(row).field("x");
                    if (rows.get(row).isTextual()) {
                        assertThat(new String(found.data(), StandardCharsets.UTF_8))
                                .as(kind.get("dataset").asText())
                                .isEqualTo(rows.get(row).asText());
                    } else {
                        assertThat(numbers(found))
                                .as("%s %s", kind.get("dataset").asText(), row)
                                .isEqualTo(numbers(found.dtype(), rows.get(row)));
                    }
                }
                compared++;
            }
        }
        assertThat(compared).isPositive();
    }

    private static List<Object> numbers(Field field) {
        ByteBuffer data = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        List<Object> numbers = new ArrayList<>();
        while (data.hasRemaining()) {
            numbers.add(
                    switch (field.dtype()) {
                        case BOOL -> data.get() != 0;
                        case UINT8 -> (long) data.get() & 0xFF;
                        case INT8 -> (long) data.get();
                        case INT16 -> (long) data.getShort();
                        case UINT16 -> (long) data.getShort() & 0xFFFF;
                        case INT32 -> (long) data.getInt();
                        case INT64 -> data.getLong();
                        case FLOAT16 -> half(data.getShort());
                        case FLOAT32 -> (double) data.getFloat();
                        case FLOAT64 -> data.getDouble();
                        default -> throw new AssertionError(field);
                    });
        }
        return numbers;
    }

    /** Returns the value of a normal number or zero. */
    private static double half(short bits) {
        int exponent = bits >> 10 & 31;
        double sign = bits < 0 ? -1 : 1;
        return exponent == 0 ? 0 : sign * Math.scalb(1 + (bits & 1023) / 1024.0, exponent - 15);
    }

    private static List<Object> numbers(DType dtype, JsonNode row) {
        List<Object> numbers = new ArrayList<>();
        for (JsonNode number : row) {
            if (dtype == DType.BOOL) {
                numbers.add(number.asText().equals("True"));
            } else if (dtype.isFloat()) {
                numbers.add(Double.parseDouble(number.asText()));
            } else {
                numbers.add(Long.parseLong(number.asText()));
            }
        }
        return numbers;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        types | float8 | has elements of the type float of 1 bytes with 4 bits of exponent, bias 7, and 3 bits of fraction, which is not supported
        types | bias | has elements of the type float of 4 bytes with 8 bits of exponent, bias 126, and 23 bits of fraction, which is not supported
        types | opaque | has elements of the type opaque of 7 bytes, which is not supported
        types | compound | has elements of the type compound of 12 bytes, which is not supported
        layouts | scaled | is compressed with scaleoffset, which is not supported; write it with gzip
        layouts | external | has its values in other files, which are not read
        layouts | null | is empty; expected at least one extent, found a null dataspace
        layouts | scalar | has no rows; expected at least one extent, found []
        links-latest | virtual | is virtual: its values are those of other datasets, which is not supported; copy the values into a dataset of their own
        links-latest | region | has elements of the type reference of 12 bytes, which is not supported
        links-latest | circle | is behind more than 16 soft links, which may form a circle: the last is 'circle'
        links-earliest | outside/x | is behind a link to the file 'other.h5'; other files are not read
        """)
    void datasetThatIsNotSupportedIsRefusedWithTheReason(String file, String dataset, String reason) {
        assertThatThrownBy(() -> open(file, dataset))
                .isInstanceOf(DatasetException.class)
                .hasMessage(VECTORS.resolve(file + ".h5") + ": dataset '" + dataset + "' " + reason);
    }

    @Test
    void brokenSoftLinkLeadsToNoDataset() {
        assertThatThrownBy(() -> open("links-latest", "broken"))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("has no dataset 'broken'; at its root it has [broken, circle, ");
    }

    @Test
    void unsignedNumberFrom2To63OnIsABadSample() throws IOException {
        try (Dataset dataset = open("unsigned", "large")) {
            assertThat(numbers(dataset.read(0).field("x"))).containsExactly(1L);
            assertThat(numbers(dataset.read(2).field("x"))).containsExactly(Long.MAX_VALUE);
            assertThatThrownBy(() -> dataset.read(1))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage(
                            "column 'large': expected numbers up to 9223372036854775807, found 9223372036854775808");
            assertThatThrownBy(() -> dataset.read(3))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageEndingWith("found 18446744073709551615");
        }
    }

    @Test
    void damageOfOneChunkOrOfItsIndexMakesOnlyItsRowsBad() throws IOException {
        byte[] sound = Files.readAllBytes(VECTORS.resolve("indexes-latest.h5"));
        int bad = 0;
        int whole = 0;
        for (int at = 0; at < sound.length; at += 37) {
            byte[] damaged = sound.clone();
            damaged[at] ^= 16;
            Path file = Files.write(folder.resolve("x.h5"), damaged);
            try (Dataset dataset = openPath(file, "extensible-gzip")) {
                for (int row = 0; row < dataset.size(); row++) {
                    try {
                        assertThat(numbers(dataset.read(row).field("x")))
                                .isEqualTo(List.of(5L * row, 5L * row + 1, 5L * row + 2, 5L * row + 3, 5L * row + 4));
                        whole++;
                    } catch (BadSampleException e) {
                        assertThat(e.offset()).isNotNegative();
                        bad++;
                    }
                }
            } catch (DatasetException e) {
                assertThat(e).hasMessageContaining(file.toString());
            }
        }
        assertThat(bad).isPositive();
        assertThat(whole).isGreaterThan(bad);
    }

    @ParameterizedTest
    @CsvSource({
        "indexes-v110, fixed-pages, extensible-blocks",
        "indexes-latest, tree-gzip, inner-gzip",
        "types, arrays, lists",
        "links-latest, many/value-03, folder/again"
    })
    void damagedFileEndsInSamplesOrExceptions(String file, String first, String second) throws IOException {
        DamagedFiles.Outcomes outcomes = new DamagedFiles.Outcomes(0, 0, 0);
        for (String dataset : List.of(first, second)) {
            DamagedFiles.Outcomes found = DamagedFiles.read(
                    VECTORS.resolve(file + ".h5"), folder.resolve(file + ".h5"), damaged -> openPath(damaged, dataset));
            outcomes = new DamagedFiles.Outcomes(
                    outcomes.refused() + found.refused(),
                    outcomes.badSamples() + found.badSamples(),
                    outcomes.whole() + found.whole());
        }
        assertThat(outcomes.refused()).isPositive();
        assertThat(outcomes.whole()).isPositive();
    }

    private static Dataset open(String file, String dataset) throws IOException {
        return openPath(VECTORS.resolve(file + ".h5"), dataset);
    }

    private static Dataset openPath(Path file, String dataset) throws IOException {
        Map<String, Object> options = new TreeMap<>(Map.of("path", file.toString(), "fields", Map.of("x", dataset)));
        return new DatasetSpec("hdf5", OptionValues.of(new Hdf5Format().options(), options)).open();
    }
}
