package io.millrace.dataset.npy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.RowsOf;
import io.millrace.option.OptionValues;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files in the resources are written by numpy.save: src/test/python/record_vectors.py. */
class NpyDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/npy");

    @TempDir
    Path folder;

    @Test
    void imagesAndLabelsAreReadByTheirDefaultNames() throws IOException {
        try (Dataset dataset = open(VECTORS, Map.of())) {
            byte[] file = Files.readAllBytes(VECTORS.resolve("images.npy"));
            assertThat(dataset.size()).isEqualTo(4);
            for (int index = 0; index < 4; index++) {
                Sample sample = dataset.read(index);
                assertThat(sample.key()).isEqualTo("images.npy#" + index);
                assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
                assertThat(sample.image().shape()).containsExactly(5, 7, 3);
                assertThat(sample.image().data())
                        .isEqualTo(Arrays.copyOfRange(file, 128 + index * 105, 128 + (index + 1) * 105));
                assertThat(sample.label()).isEqualTo(List.of(3L, 1L, 4L, 1L).get(index));
            }
        }
    }

    @Test
    void valuesOfFilesOnThisMachineAreLeftWhereTheyAreUnlessTheyMustBeChanged() throws IOException {
        try (Dataset dataset = open(VECTORS, Map.of())) {
            assertThat(dataset.read(2).image().stored()).isNotNull();
            assertThat(dataset.resident())
                    .as("the files were read by other tests")
                    .isTrue();
        }
        try (Dataset dataset = open(VECTORS, Map.of("x", "big-i4.npy"))) {
            assertThat(dataset.read(0).field("x").stored()).as("big-endian").isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"images", "bool", "i1", "little-u2", "little-i8", "little-f2", "little-f8"})
    void valuesThatNeedNoChangeAreRows(String name) throws IOException {
        try (Dataset dataset = open(VECTORS, Map.of("x", name + ".npy", "label", "labels.npy"))) {
            RowsOf.assertAreTheSamples(dataset);
        }
    }

    @Test
    void valuesThatMustBeChangedAreNoRows() throws IOException {
        for (Map<String, Object> fields :
                List.<Map<String, Object>>of(Map.of("x", "big-i4.npy"), Map.of("x", "little-u4.npy"))) {
            try (Dataset dataset = open(VECTORS, fields)) {
                assertThat(dataset.rows()).isNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bool",
                "u1",
                "i1",
                "little-u2",
                "big-u2",
                "little-i2",
                "big-i2",
                "little-i4",
                "big-i4",
                "little-u4",
                "big-u4",
                "little-i8",
                "big-i8",
                "little-f2",
                "big-f2",
                "little-f4",
                "big-f4",
                "little-f8",
                "big-f8"
            })
    void elementsOfEveryTypeAreLittleEndian(String name) throws IOException {
        byte[] expected = Files.readAllBytes(VECTORS.resolve(name + ".bin"));
        try (Dataset dataset = open(VECTORS, Map.of("x", name + ".npy"))) {
            int bytes = expected.length / 4;
            for (int index = 0; index < 4; index++) {
                assertThat(dataset.read(index).field("x").data())
                        .isEqualTo(Arrays.copyOfRange(expected, index * bytes, (index + 1) * bytes));
                assertThat(dataset.read(index).field("x").shape()).containsExactly(3);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void versionsOneToThreeAreRead(int version) throws IOException {
        try (Dataset dataset = open(VECTORS, Map.of("image", "version-" + version + ".npy"));
                Dataset same = open(VECTORS, Map.of())) {
            assertThat(dataset.read(3).image().data())
                    .isEqualTo(same.read(3).image().data());
        }
    }

    @Test
    void labelMayBeAWholeFloatInAListOfOne() throws IOException {
        try (Dataset dataset = open(VECTORS, Map.of("label", "labels-float.npy"))) {
            assertThat(dataset.label(2)).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fortran.npy | is in Fortran's order",
                "uint64.npy | found type '<u8'",
                "structured.npy | found a structured array",
                "strings.npy | found type '<U2'",
                "scalar.npy | found a single number",
            })
    void unsupportedArrayIsRefusedWithTheReason(String name, String reason) {
        assertThatThrownBy(() -> open(VECTORS, Map.of("x", name)))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(VECTORS.resolve(name).toString())
                .hasMessageContaining(reason);
    }

    @Test
    void wholeArrayInFortransOrderIsReorderedToRows() throws IOException {
        NpyArray fortran = NpyArray.parse(Files.readAllBytes(VECTORS.resolve("fortran.npy")));
        NpyArray rows = NpyArray.parse(Files.readAllBytes(VECTORS.resolve("images.npy")));

        assertThat(fortran.shape()).isEqualTo(rows.shape());
        assertThat(fortran.data()).isEqualTo(rows.data());
    }

    @Test
    void fileWithAnotherLengthThanItsHeaderStatesIsRefused() throws IOException {
        byte[] file = Files.readAllBytes(VECTORS.resolve("labels.npy"));
        for (int length = 0; length < file.length; length++) {
            Files.write(folder.resolve("x.npy"), Arrays.copyOf(file, length));
            assertThatThrownBy(() -> open(folder, Map.of("x", "x.npy")))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageStartingWith(folder.resolve("x.npy").toString());
        }
        Files.write(folder.resolve("x.npy"), Arrays.copyOf(file, file.length + 1));
        assertThatThrownBy(() -> open(folder, Map.of("x", "x.npy")))
                .hasMessage(
                        folder.resolve("x.npy") + " is too long: its header states [4] of int64, so expected the end at"
                                + " offset 160, found it at 161");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999, 9999999999), }",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
                "{'descr': '<f4', 'fortran_order': False, }",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
                "{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,)}",
                "'descr'",
                ""
            })
    void headerThatNumpyDoesNotWriteIsRefused(String text) throws IOException {
        byte[] dictionary = (text + "\n").getBytes(StandardCharsets.US_ASCII);
        byte[] file = new byte[10 + dictionary.length + 64];
        System.arraycopy(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0}, 0, file, 0, 8);
        file[8] = (byte) dictionary.length;
        System.arraycopy(dictionary, 0, file, 10, dictionary.length);
        Files.write(folder.resolve("x.npy"), file);

        assertThatThrownBy(() -> open(folder, Map.of("x", "x.npy")))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(": at offset ");
    }

    @Test
    void arraysOfDifferentLengthsAreRefused() throws IOException {
        Files.copy(VECTORS.resolve("images.npy"), folder.resolve("images.npy"));
        byte[] labels = Files.readAllBytes(VECTORS.resolve("labels.npy"));
        String header = new String(labels, 0, 128, StandardCharsets.ISO_8859_1).replace("(4,)", "(3,)");
        System.arraycopy(header.getBytes(StandardCharsets.ISO_8859_1), 0, labels, 0, 128);
        Files.write(folder.resolve("labels.npy"), Arrays.copyOf(labels, labels.length - 8));

        assertThatThrownBy(() -> open(folder, Map.of()))
                .hasMessage(folder.resolve("images.npy") + " has 4 items: expected as many in "
                        + folder.resolve("labels.npy") + ", found 3");
    }

    private static Dataset open(Path path, Map<String, Object> fields) throws IOException {
        Map<String, Object> options =
                fields.isEmpty() ? Map.of("path", path.toString()) : Map.of("path", path.toString(), "fields", fields);
        return new DatasetSpec("npy", OptionValues.of(new NpyFormat().options(), options)).open();
    }
}
