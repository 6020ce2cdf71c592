package io.millrace.dataset.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files in the resources are written by src/test/python/token_vectors.py. */
class TokensFormatTest {
    private static final int END = 50256;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"nanogpt.bin, uint16", "uint32.bin, uint32", "uint32.bin, int32"})
    void documentsEndWithAnId(String name, String dtype) throws IOException {
        try (Dataset dataset =
                open(TokenVectors.FOLDER.resolve(name), Map.of("dtype", dtype, "document_end", (long) END))) {
            List<int[]> expected = TokenVectors.documents("arrays");
            assertThat(dataset.size()).isEqualTo(expected.size());
            for (int index = 0; index < expected.size(); index++) {
                int[] ids = expected.get(index);
                assertThat(dataset.read(index).key()).isEqualTo(name + "#" + index);
                assertThat(TokenVectors.ids(dataset.read(index)))
                        .isEqualTo(IntStream.concat(Arrays.stream(ids), IntStream.of(END))
                                .toArray());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"llm-c-gpt-2.bin", "llm-c-llama-3.bin", "start-u2.npy", "start-u4.npy", "start-i4.npy"})
    void documentsBeginWithAnIdAndTheHeaderStatesTheType(String name) throws IOException {
        try (Dataset dataset = open(TokenVectors.FOLDER.resolve(name), Map.of("document_start", (long) END))) {
            List<int[]> expected = TokenVectors.documents("arrays");
            assertThat(dataset.size()).isEqualTo(expected.size());
            for (int index = 0; index < expected.size(); index++) {
                int[] ids = expected.get(index);
                assertThat(TokenVectors.ids(dataset.read(index)))
                        .isEqualTo(IntStream.concat(IntStream.of(END), Arrays.stream(ids))
                                .toArray());
            }
        }
    }

    @Test
    void tokensBeforeTheFirstStartAndAfterTheLastEndAreDocuments() throws IOException {
        Path file = folder.resolve("a.bin");
        Files.write(file, new byte[] {9, 1, 5, 5, 1, 6});
        try (Dataset dataset = open(file, Map.of("dtype", "uint8", "document_start", 1L))) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(TokenVectors.ids(dataset.read(0))).containsExactly(9);
            assertThat(TokenVectors.ids(dataset.read(1))).containsExactly(1, 5, 5);
            assertThat(TokenVectors.ids(dataset.read(2))).containsExactly(1, 6);
        }
        try (Dataset dataset = open(file, Map.of("dtype", "uint8", "document_end", 1L))) {
            assertThat(TokenVectors.ids(dataset.read(1))).containsExactly(5, 5, 1);
            assertThat(TokenVectors.ids(dataset.read(2))).containsExactly(6);
        }
    }

    @Test
    void piecesHaveOneLengthAndTheLastIsShorter() throws IOException {
        try (Dataset dataset =
                open(TokenVectors.FOLDER.resolve("nanogpt.bin"), Map.of("dtype", "uint16", "length", 100L))) {
            assertThat(dataset.size()).isEqualTo(4); // 310 ids
            assertThat(TokenVectors.ids(dataset.read(0))).hasSize(100).startsWith(1, 2, 3, END, 4);
            assertThat(TokenVectors.ids(dataset.read(3))).hasSize(10).endsWith(8, END);
        }
    }

    @Test
    void documentsAcrossSearchedPiecesAreWhole() throws IOException {
        Path file = folder.resolve("a.bin");
        byte[] ids = new byte[(3 << 20) + 5];
        Arrays.fill(ids, (byte) 7);
        ids[(1 << 20) - 1] = 1;
        ids[2 << 20] = 1;
        Files.write(file, ids);
        try (Dataset dataset = open(file, Map.of("dtype", "uint8", "document_end", 1L))) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(TokenVectors.ids(dataset.read(0))).hasSize(1 << 20).endsWith(7, 1);
            assertThat(TokenVectors.ids(dataset.read(1))).hasSize((1 << 20) + 1).endsWith(7, 1);
            assertThat(TokenVectors.ids(dataset.read(2))).hasSize((1 << 20) + 4).startsWith(7);
        }
    }

    @Test
    void indexIsKeptAndMadeAgainWhenTheFileOrAnOptionChanges() throws IOException {
        Path file = folder.resolve("a.bin");
        Path cache = folder.resolve("cache");
        Files.write(file, new byte[] {5, 1, 6, 2});
        Map<String, Object> ends = Map.of("dtype", "uint8", "document_end", 1L, "index_cache", cache.toString());
        Map<String, Object> others = Map.of("dtype", "uint8", "document_end", 6L, "index_cache", cache.toString());
        try (Dataset dataset = open(file, ends);
                Dataset other = open(file, others)) {
            assertThat(TokenVectors.ids(dataset.read(0))).containsExactly(5, 1);
            assertThat(TokenVectors.ids(other.read(0))).containsExactly(5, 1, 6);
        }
        assertThat(cache.toFile().list()).hasSize(2);
        try (Dataset kept = open(file, ends)) {
            assertThat(TokenVectors.ids(kept.read(1))).containsExactly(6, 2);
        }
        Files.write(file, new byte[] {1, 9}, StandardOpenOption.APPEND);
        try (Dataset changed = open(file, ends)) {
            assertThat(TokenVectors.ids(changed.read(1))).containsExactly(6, 2, 1);
            assertThat(TokenVectors.ids(changed.read(2))).containsExactly(9);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nanogpt.bin | - | has no header that states the type of its ids; set dtype",
                "llm-c-gpt-2.bin | uint32 | dtype is uint32, but the header of the file states uint16",
                "floats.npy | - | expected whole numbers, which ids of tokens are, found an array of FLOAT32",
                "rows.npy | - | expected an array with one extent, found [2, 155] of uint16",
                "big-u2.npy | - | expected little-endian numbers",
                "nanogpt.bin | int64 | so a size that is a multiple of 8 bytes, found 620"
            })
    void unsupportedFileIsRefusedWithTheReason(String name, String dtype, String reason) {
        Map<String, Object> options = dtype.equals("-")
                ? Map.of("document_end", (long) END)
                : Map.of("document_end", (long) END, "dtype", dtype);
        assertThatThrownBy(() -> open(TokenVectors.FOLDER.resolve(name), options))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(TokenVectors.FOLDER.resolve(name).toString())
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"llm-c-gpt-2.bin", "start-u4.npy"})
    void fileWithAnotherLengthThanItsHeaderStatesIsRefused(String name) throws IOException {
        byte[] file = Files.readAllBytes(TokenVectors.FOLDER.resolve(name));
        Path damaged = folder.resolve(name);
        for (int length : new int[] {file.length - 1, file.length / 2, 128, 20, file.length + 1}) {
            Files.write(damaged, Arrays.copyOf(file, length));
            assertThatThrownBy(() -> open(damaged, Map.of("document_start", (long) END)))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageStartingWith(damaged.toString());
        }
    }

    @Test
    void exactlyOneRuleForDocumentsIsNeeded() {
        Path file = TokenVectors.FOLDER.resolve("start-u2.npy");
        assertThatThrownBy(() -> open(file, Map.of()))
                .hasMessage(
                        "a dataset of tokens needs one of document_end, document_start and length, which say where a"
                                + " document ends; found none of them");
        assertThatThrownBy(() -> open(file, Map.of("document_end", 1L, "length", 2L)))
                .hasMessageEndingWith("found [document_end, length]");
        assertThatThrownBy(() -> open(file, Map.of("length", 0L)))
                .hasMessageContaining("length")
                .hasMessageContaining("at least 1, found 0");
        assertThatThrownBy(() -> open(file, Map.of("document_end", -1L)))
                .hasMessageContaining("document_end")
                .hasMessageContaining("0 or more, found -1");
    }

    @Test
    void idThatIsNoWhereAndIdsOfAnotherTypeAreReported() throws IOException {
        Path narrow = TokenVectors.FOLDER.resolve("nanogpt.bin");
        Path wide = TokenVectors.FOLDER.resolve("uint32.bin");
        assertThat(remarks(narrow, "uint16", "document_end", END)).isEmpty();
        assertThat(remarks(wide, "uint32", "document_end", END)).isEmpty();
        assertThat(remarks(narrow, "uint16", "document_start", 65535))
                .singleElement()
                .asString()
                .matches(
                        ".*nanogpt.bin is one document of [0-9]+ tokens, because the id 65535 of document_start does not occur"
                                + " in it");
        assertThat(remarks(wide, "uint16", "length", 8))
                .singleElement()
                .asString()
                .contains("every second id is 0, so that they were probably written with 4 bytes each: set dtype");
        assertThat(remarks(narrow, "uint32", "length", 8))
                .singleElement()
                .asString()
                .contains("which is more than vocabularies have: set dtype");
    }

    @Test
    void documentThatIsAWholeFileIsNotReported() throws IOException {
        Path file = Files.write(folder.resolve("a.bin"), new byte[] {5, 6, 7, 9});
        assertThat(remarks(file, "uint8", "document_end", 9)).isEmpty();
        assertThat(remarks(file, "uint8", "document_start", 5)).isEmpty();
        assertThat(remarks(file, "uint8", "document_end", 8)).hasSize(1);
    }

    private static List<String> remarks(Path file, String dtype, String rule, long value) throws IOException {
        try (Dataset dataset = open(file, Map.of("dtype", dtype, rule, value))) {
            return dataset.remarks();
        }
    }

    @Test
    void emptyFileHasNoSamples() throws IOException {
        Path file = Files.createFile(folder.resolve("a.bin"));
        assertThatThrownBy(() -> open(file, Map.of("dtype", "uint16", "document_end", 1L)))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith("no samples in " + file);
    }

    private static Dataset open(Path path, Map<String, Object> options) throws IOException {
        Map<String, Object> values = new HashMap<>(options);
        values.put("path", path.toString());
        values.putIfAbsent("index_cache", "none");
        return new DatasetSpec("tokens", OptionValues.of(new TokensFormat().options(), values)).open();
    }
}
