package io.millrace.dataset.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The odd texts and what Python reads between separators are written by src/test/python/text_vectors.py. */
class TextFormatTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/text");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"quarantine", "replace"})
    void documentsBetweenSeparatorsArePythons(String errors) throws IOException {
        JsonNode cases =
                new ObjectMapper().readTree(VECTORS.resolve("documents.json").toFile());
        assertThat(cases).hasSizeGreaterThan(10);
        for (JsonNode each : cases) {
            Path file = VECTORS.resolve(each.get("file").textValue());
            String separator = each.get("separator").textValue();
            try (Dataset dataset = open(file, Map.of("separator", separator, "errors", errors))) {
                assertDocuments(dataset, each, errors);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "zst"})
    void compressedFilesAreDividedTheSameWayAndNamedAsTheyAre(String ending) throws IOException {
        JsonNode lines = new ObjectMapper()
                .readTree(VECTORS.resolve("documents.json").toFile())
                .get(0);
        Path file = Files.copy(VECTORS.resolve("lines.txt." + ending), folder.resolve("lines.txt." + ending));
        try (Dataset dataset = open(file, Map.of("separator", "\n", "index_cache", "auto"))) {
            assertDocuments(dataset, lines, "quarantine");
            assertThat(dataset.read(0).key()).isEqualTo("lines.txt." + ending + "#0");
            assertThat(bad(dataset, 4).file()).isEqualTo(file + ":7");
        }
    }

    private static void assertDocuments(Dataset dataset, JsonNode expected, String errors) throws IOException {
        String what = expected.get("file") + " at " + expected.get("separator");
        String column = errors.equals("replace") ? "replaced" : "strict";
        JsonNode documents = expected.get("documents");
        boolean lines = expected.get("separator").textValue().equals("\n");
        assertThat(dataset.size()).as(what).isEqualTo(documents.size());
        for (int index = 0; index < documents.size(); index++) {
            JsonNode document = documents.get(index);
            if (document.get(column).isNull()) {
                BadSampleException bad = bad(dataset, index);
                assertThat(bad).as("%s, document %s", what, document).isNotNull();
                assertThat(bad.file()).endsWith((lines ? ":" : "#") + document.get("number"));
                assertThat(bad.offset())
                        .isBetween(
                                document.get("offset").longValue(),
                                document.get("offset").longValue() + 250);
            } else {
                assertThat(text(dataset.read(index)))
                        .as("%s, document %d", what, index)
                        .isEqualTo(document.get(column).textValue());
            }
        }
    }

    @Test
    void withoutSeparatorEachFileIsADocument() throws IOException {
        for (String name : List.of("whole.txt", "empty.txt", "marks.txt", "lines.txt.gz", "lines.txt.zst")) {
            Files.copy(VECTORS.resolve(name), folder.resolve(name));
        }
        Files.writeString(folder.resolve("other.md"), "not read");
        try (Dataset dataset = open(folder, Map.of("errors", "replace"))) {
            assertThat(dataset.size()).isEqualTo(5);
            assertThat(bad(dataset, 0))
                    .hasMessage("expected a document, found an empty file")
                    .extracting(BadSampleException::file)
                    .isEqualTo(folder.resolve("empty.txt").toString());
            String lines = new String(Files.readAllBytes(VECTORS.resolve("lines.txt")), StandardCharsets.UTF_8);
            assertThat(text(dataset.read(1)))
                    .hasSameSizeAs(text(dataset.read(2)))
                    .endsWith("no line end");
            assertThat(lines).startsWith("\ufeff" + text(dataset.read(1)).substring(0, 30));
            assertThat(text(dataset.read(4))).isEqualTo("one\r\n\ntwo");
            assertThat(dataset.remarks()).isEmpty();
        }
        assertThat(folder.resolve(".millrace")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "zst"})
    void cutOffCompressedFilesAreBadDocumentsOrRefused(String ending) throws IOException {
        Path cut = folder.resolve("cut.txt." + ending);
        byte[] bytes = Files.readAllBytes(VECTORS.resolve("lines.txt." + ending));
        for (int length : new int[] {1, 10, bytes.length / 2, bytes.length - 1}) {
            Files.write(cut, Arrays.copyOf(bytes, length));
            try (Dataset dataset = open(cut, Map.of())) {
                assertThat(bad(dataset, 0).reason()).as(length + " bytes").startsWith(cut + " is no whole ");
            }
            assertThatThrownBy(() -> open(cut, Map.of("separator", "\n", "index_cache", folder.toString())))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageStartingWith(cut + " is no whole ");
        }
    }

    @Test
    void separatorThatNeverOccursIsReported() throws IOException {
        Path file = Files.writeString(folder.resolve("a.txt"), "one\ntwo\n");
        Path other = Files.writeString(folder.resolve("b.txt"), "one");
        try (Dataset dataset = open(folder, Map.of("separator", "\\n"))) {
            assertThat(dataset.remarks())
                    .containsExactly("the separator '\\n' does not occur in " + file
                            + " and in 1 more file, so each file is one document; for a line end, write separator: \"\\n\" in"
                            + " double quotes, because YAML reads \\n outside of them as two characters");
        }
        try (Dataset dataset = open(other, Map.of("separator", "\n"))) {
            assertThat(dataset.remarks())
                    .containsExactly(
                            "the separator '\\n' does not occur in " + other + ", so each file is one document");
        }
        try (Dataset dataset = open(folder, Map.of("separator", "\n"))) {
            assertThat(dataset.remarks()).isEmpty();
        }
    }

    @Test
    void corpusInOneDocumentIsReported() throws IOException {
        Path file = Files.write(folder.resolve("a.txt"), new byte[10_000_001]);
        try (Dataset dataset = open(file, Map.of())) {
            assertThat(dataset.remarks())
                    .containsExactly(file
                            + " is one document of 10000001 bytes, because dataset.separator is not set; separator: \"\\n\""
                            + " reads a document from each line");
        }
    }

    @Test
    void jsonThatIsReadAsTextIsReported() throws IOException {
        String line = "{\"text\": \"one\"}\n";
        Path file = Files.writeString(folder.resolve("a.txt"), line + line);
        for (Map<String, Object> options :
                List.of(Map.<String, Object>of(), Map.<String, Object>of("separator", "\n"))) {
            try (Dataset dataset = open(file, options)) {
                assertThat(dataset.remarks())
                        .containsExactly(file + " begins with a JSON object, which is read as text; format: jsonl reads"
                                + " the text of a member of the object in each line");
            }
        }
        Path other = Files.writeString(folder.resolve("b.txt"), "{ a set }");
        try (Dataset dataset = open(other, Map.of())) {
            assertThat(dataset.remarks()).isEmpty();
        }
    }

    @Test
    void linkToNoFileIsABadDocumentAmongOthers() throws IOException {
        Files.writeString(folder.resolve("a.txt"), "one");
        Path link = Files.createSymbolicLink(folder.resolve("b.txt"), Path.of("gone.txt"));
        try (Dataset dataset = open(folder, Map.of())) {
            assertThat(text(dataset.read(0))).isEqualTo("one");
            assertThat(bad(dataset, 1)).hasMessage("expected a file, found a link to a file that does not exist");
        }
        assertThatThrownBy(() -> open(link, Map.of())).hasMessage(link + " is a link to gone.txt, where no file is");
    }

    @Test
    void namesWithSpacesAndOtherScriptsAreRead() throws IOException {
        Path file = Files.writeString(folder.resolve("gr\u00fcn \u6587 [1].txt"), "one\ntwo");
        for (Path path : List.of(file, folder)) {
            try (Dataset dataset = open(path, Map.of("separator", "\n", "index_cache", "auto"))) {
                assertThat(text(dataset.read(1))).isEqualTo("two");
                assertThat(dataset.read(1).key()).isEqualTo("gr\u00fcn \u6587 [1].txt#1");
            }
        }
    }

    @Test
    void characterThatTheFileCutsOffIsNamedWithItsOffset() throws IOException {
        Path file = Files.write(
                folder.resolve("a.txt"), new byte[] {'a', '\n', 'b', (byte) 0xF0, (byte) 0x9F, (byte) 0x98});
        String reason = "expected text in UTF-8, found the byte 0xF0; errors: replace reads U+FFFD in its place";
        try (Dataset lines = open(file, Map.of("separator", "\n"));
                Dataset whole = open(file, Map.of());
                Dataset replaced = open(file, Map.of("errors", "replace"))) {
            assertThat(bad(lines, 1)).hasMessage(reason);
            assertThat(bad(lines, 1).offset()).isEqualTo(3);
            assertThat(bad(whole, 0)).hasMessage(reason);
            assertThat(bad(whole, 0).offset()).isEqualTo(3);
            assertThat(text(replaced.read(0))).isEqualTo("a\nb\ufffd");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ufeffab\n", "ab\n"})
    void utf16IsRefused(String content) throws IOException {
        String reason = "expected text in UTF-8, found UTF-16, by the "
                + (content.startsWith("a") ? "zeros in the first four bytes" : "first two bytes")
                + "; convert it to UTF-8, for example with iconv";
        Path file = Files.write(folder.resolve("a.txt"), content.getBytes(StandardCharsets.UTF_16LE));
        assertThatThrownBy(() -> open(file, Map.of("separator", "\n")))
                .isInstanceOf(DatasetException.class)
                .hasMessage(file + ": " + reason);
        try (Dataset dataset = open(file, Map.of("errors", "replace"))) {
            assertThat(bad(dataset, 0)).hasMessage(reason);
        }
    }

    @Test
    void filesWithoutDocumentsAreRefused() {
        assertThatThrownBy(() -> open(VECTORS.resolve("spaces.txt"), Map.of("separator", "\n")))
                .isInstanceOf(DatasetException.class)
                .hasMessage("no samples in " + VECTORS.resolve("spaces.txt"));
        assertThatThrownBy(() -> open(VECTORS.resolve("empty.txt"), Map.of("separator", "\n")))
                .hasMessage("no samples in " + VECTORS.resolve("empty.txt"));
        assertThatThrownBy(() -> open(VECTORS.resolve("whole.txt"), Map.of("separator", "")))
                .hasMessageContaining("separator");
    }

    @Test
    void changedFileIsNoticed() throws IOException {
        Path file = Files.writeString(folder.resolve("a.txt"), "one\ntwo\n");
        try (Dataset dataset = open(file, Map.of("separator", "\n"))) {
            Files.writeString(file, "\n\n\n\n\n\n\n\n");
            assertThatThrownBy(() -> dataset.read(1)).hasMessageContaining("the file has changed");
        }
    }

    @Test
    void separatorsHaveIndexesOfTheirOwn() throws IOException {
        Path file = Files.writeString(folder.resolve("a.txt"), "one two\nthree");
        for (int round = 0; round < 2; round++) {
            try (Dataset lines = open(file, Map.of("separator", "\n", "index_cache", "auto"));
                    Dataset words = open(file, Map.of("separator", " ", "index_cache", "auto"))) {
                assertThat(text(lines.read(0))).isEqualTo("one two");
                assertThat(text(words.read(0))).isEqualTo("one");
                assertThat(text(words.read(1))).isEqualTo("two\nthree");
            }
        }
        assertThat(folder.resolve(".millrace").toFile().list()).hasSize(2);
    }

    private static String text(Sample sample) {
        return new String(sample.field("text").data(), StandardCharsets.UTF_8);
    }

    private static BadSampleException bad(Dataset dataset, long index) {
        return catchThrowableOfType(BadSampleException.class, () -> dataset.read(index));
    }

    private static Dataset open(Path path, Map<String, Object> options) throws IOException {
        Map<String, Object> values = new HashMap<>(options);
        values.put("path", path.toString());
        values.putIfAbsent("index_cache", "none");
        return new DatasetSpec("text", OptionValues.of(new TextFormat().options(), values)).open();
    }
}
