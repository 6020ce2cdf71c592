package io.millrace.dataset.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

/** The files in the resources are written by src/test/python/token_vectors.py. */
class MegatronFormatTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"megatron-uint16", "megatron-int32", "megatron-int64"})
    void documentsAreTheIdsOfTheirSequences(String name) throws IOException {
        List<int[]> expected = TokenVectors.documents("megatron");
        try (Dataset dataset = open(TokenVectors.FOLDER.resolve(name + ".idx"))) {
            assertThat(dataset.size()).isEqualTo(expected.size());
            for (int index = 0; index < expected.size(); index++) {
                Sample sample = dataset.read(index);
                assertThat(sample.key()).isEqualTo(name + ".bin#" + index);
                assertThat(sample.fieldNames()).containsExactly("tokens");
                assertThat(sample.field("tokens").kind()).isEqualTo(FieldKind.RAGGED);
                assertThat(sample.field("tokens").dtype()).isEqualTo(DType.INT32);
                assertThat(TokenVectors.ids(sample)).isEqualTo(expected.get(index));
            }
            assertThat(dataset.remarks()).isEmpty();
            assertThat(dataset.labels().isPresent()).isFalse();
        }
    }

    @Test
    void pairMayBeNamedByEitherFileOrWithoutExtension() throws IOException {
        for (String name : List.of("megatron-uint8.idx", "megatron-uint8.bin", "megatron-uint8")) {
            try (Dataset dataset = open(TokenVectors.FOLDER.resolve(name))) {
                assertThat(TokenVectors.ids(dataset.read(0))).containsExactly(1, 2, 250);
            }
        }
    }

    @Test
    void pairsOfAPatternFollowOneAnother() throws IOException {
        copy("megatron-uint8", "a");
        copy("megatron-int32", "b");
        try (Dataset dataset = open(folder.resolve("*.idx"));
                Dataset all = open(folder)) {
            assertThat(dataset.size()).isEqualTo(6);
            assertThat(all.size()).isEqualTo(6);
            assertThat(dataset.read(1).key()).isEqualTo("a.bin#1");
            assertThat(dataset.read(2).key()).isEqualTo("b.bin#0");
            assertThat(TokenVectors.ids(dataset.read(4))).containsExactly(40000, 0);
        }
    }

    @Test
    void sequencesAreDocumentsWhereTheIndexListsNone() throws IOException {
        try (Dataset dataset = open(TokenVectors.FOLDER.resolve("megatron-no-documents.idx"))) {
            assertThat(dataset.size()).isEqualTo(5);
            assertThat(TokenVectors.ids(dataset.read(1))).containsExactly(4);
            assertThat(dataset.remarks())
                    .singleElement()
                    .asString()
                    .contains("lists no documents, so each sequence is read as a document, 5 sequences in all");
        }
    }

    @Test
    void badDocumentsAreReportedAndOthersRead() throws IOException {
        Path index = TokenVectors.FOLDER.resolve("megatron-bad.idx");
        try (Dataset dataset = open(index)) {
            assertThat(TokenVectors.ids(dataset.read(0))).containsExactly(1, 2);
            assertThat(bad(dataset, 1).reason()).isEqualTo("expected a document of at least 1 token, found 0");
            assertThat(bad(dataset, 2).reason()).isEqualTo("expected the id of a token, 0 to 2147483647, found -1");
            assertThat(bad(dataset, 2).offset()).isEqualTo(24);
            assertThat(bad(dataset, 2).file()).isEqualTo(TokenVectors.FOLDER.resolve("megatron-bad.bin") + "#2");
            assertThat(bad(dataset, 3).reason()).endsWith("found 2147483648");
            assertThat(TokenVectors.ids(dataset.read(4))).containsExactly(Integer.MAX_VALUE);
        }
    }

    @Test
    void documentOutsideOfTheFilesIsBad() throws IOException {
        copy("megatron-uint16", "a");
        ByteBuffer index =
                ByteBuffer.wrap(Files.readAllBytes(folder.resolve("a.idx"))).order(ByteOrder.LITTLE_ENDIAN);
        index.putLong(34 + 5 * 4, 1000); // the offset of sequence 0
        index.putLong(34 + 5 * 12 + 2 * 8, -1); // the end of document 1
        index.putInt(34 + 3 * 4, -2); // the length of sequence 3
        Files.write(folder.resolve("a.idx"), index.array());
        try (Dataset dataset = open(folder.resolve("a.idx"))) {
            assertThat(bad(dataset, 0).reason())
                    .isEqualTo("expected sequence 0 within the 276 bytes of " + folder.resolve("a.bin")
                            + ", found 3 ids of uint16 at offset 1000");
            assertThat(bad(dataset, 1).reason())
                    .isEqualTo("expected a document of sequences between 0 and 5, found one from 1 to -1");
            assertThat(bad(dataset, 2).file()).isEqualTo(folder.resolve("a.idx") + "#2");
            assertThat(TokenVectors.ids(dataset.read(3))).hasSize(130);
        }
    }

    @Test
    void cutOffFileOfIdsIsRefusedAndALongerOneRemarked() throws IOException {
        copy("megatron-uint16", "a");
        byte[] ids = Files.readAllBytes(folder.resolve("a.bin"));
        Files.write(folder.resolve("a.bin"), Arrays.copyOf(ids, ids.length - 1));
        assertThatThrownBy(() -> open(folder.resolve("a.idx")))
                .isInstanceOf(DatasetException.class)
                .hasMessage(folder.resolve("a.bin") + " is cut off: the last sequence of " + folder.resolve("a.idx")
                        + " ends at offset 276, found the end of the file at 275");
        Files.write(folder.resolve("a.bin"), Arrays.copyOf(ids, ids.length + 4));
        try (Dataset dataset = open(folder.resolve("a.idx"))) {
            assertThat(dataset.remarks()).singleElement().asString().contains("has 4 bytes after the last sequence");
        }
    }

    @Test
    void indexOfAnyOtherLengthIsRefused() throws IOException {
        copy("megatron-uint16", "a");
        byte[] index = Files.readAllBytes(folder.resolve("a.idx"));
        for (int length = 0; length < index.length; length++) {
            Files.write(folder.resolve("a.idx"), Arrays.copyOf(index, length));
            assertThatThrownBy(() -> open(folder.resolve("a.idx")))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageStartingWith(folder.resolve("a.idx").toString());
        }
        Files.write(folder.resolve("a.idx"), Arrays.copyOf(index, index.length + 1));
        assertThatThrownBy(() -> open(folder.resolve("a.idx")))
                .hasMessageContaining("is too long: its header states 5");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "megatron-modes | has a mode for each sequence",
                "megatron-floats | at offset 17 expected whole numbers, which ids of tokens are, found type 6"
            })
    void otherKindsOfDataAreRefusedWithTheReason(String name, String reason) {
        assertThatThrownBy(() -> open(TokenVectors.FOLDER.resolve(name + ".idx")))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 84 | begins with MMIDIDX, found TNTIDX",
                "0 | 0 | begins with MMIDIDX, found other bytes",
                "9 | 2 | at offset 9 expected version 1, found 2",
                "17 | 9 | at offset 17 expected a type of numbers, 1 to 5 or 8, found 9",
                "25 | -1 | at offset 18 expected 0 to 2^40 sequences, found"
            })
    void damagedHeaderIsRefusedWithTheOffset(int at, byte value, String reason) throws IOException {
        copy("megatron-uint16", "a");
        byte[] index = Files.readAllBytes(folder.resolve("a.idx"));
        if (value == 'T') {
            System.arraycopy("TNTIDX\0\0".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, index, 0, 8);
        } else {
            index[at] = value;
        }
        Files.write(folder.resolve("a.idx"), index);
        assertThatThrownBy(() -> open(folder.resolve("a.idx")))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void missingFileOfThePairIsNamed() throws IOException {
        copy("megatron-uint16", "a");
        Files.delete(folder.resolve("a.bin"));
        assertThatThrownBy(() -> open(folder.resolve("a.idx")))
                .hasMessage("no file " + folder.resolve("a.bin") + " for the index " + folder.resolve("a.idx")
                        + "; expected the token ids in a .bin file beside each .idx file");
        copy("megatron-uint16", "c");
        Files.delete(folder.resolve("c.idx"));
        for (String path : List.of("c", "c.bin")) {
            assertThatThrownBy(() -> open(folder.resolve(path)))
                    .isInstanceOf(DatasetException.class)
                    .hasMessage(
                            "no index " + folder.resolve("c.idx") + " for the token ids " + folder.resolve("c.bin")
                                    + "; expected an .idx file beside each .bin file; format: tokens reads ids without an index");
        }
        assertThatThrownBy(() -> open(folder.resolve("b")))
                .hasMessageStartingWith("no such file: " + folder.resolve("b"));
    }

    private void copy(String vector, String name) throws IOException {
        for (String extension : List.of(".idx", ".bin")) {
            Files.copy(TokenVectors.FOLDER.resolve(vector + extension), folder.resolve(name + extension));
        }
    }

    private static BadSampleException bad(Dataset dataset, long index) {
        return catchThrowableOfType(BadSampleException.class, () -> dataset.read(index));
    }

    private static Dataset open(Path path) throws IOException {
        return new DatasetSpec(
                        "megatron", OptionValues.of(new MegatronFormat().options(), Map.of("path", path.toString())))
                .open();
    }
}
