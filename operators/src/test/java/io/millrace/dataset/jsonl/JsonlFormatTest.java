package io.millrace.dataset.jsonl;

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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The odd lines and what Python's json reads in them are written by src/test/python/jsonl_vectors.py. */
class JsonlFormatTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/jsonl");

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "odd.jsonl, quarantine",
        "odd.jsonl, replace",
        "odd.jsonl.gz, quarantine",
        "odd.jsonl.zst, quarantine",
    })
    void textsArePythonsAndOtherLinesAreBadWithTheirPlaces(String name, String errors) throws IOException {
        JsonNode expected =
                new ObjectMapper().readTree(VECTORS.resolve("odd.json").toFile());
        String column = errors.equals("replace") ? "replaced" : "strict";
        Map<String, Object> options = Map.of("errors", errors, "index_cache", folder.toString());
        Map<String, Object> tree = new HashMap<>(options);
        tree.put("fields", Map.of("text", "text", "same", Map.of("from", "text", "as", "text")));
        try (Dataset dataset = open(VECTORS.resolve(name), options);
                Dataset whole = open(VECTORS.resolve(name), tree)) {
            assertThat(dataset.size()).isEqualTo(expected.size());
            for (int index = 0; index < expected.size(); index++) {
                JsonNode row = expected.get(index);
                if (row.get(column).isNull()) {
                    BadSampleException bad = bad(dataset, index);
                    assertThat(bad).as(row.toString()).isNotNull();
                    assertThat(bad.reason()).startsWith("expected ").contains("found");
                    assertThat(bad.file()).endsWith(":" + row.get("line"));
                    assertThat(bad.offset())
                            .isBetween(
                                    row.get("offset").longValue(),
                                    row.get("offset").longValue() + 40);
                    assertThat(bad(whole, index)).as(row.toString()).isNotNull();
                } else {
                    assertThat(text(dataset.read(index)))
                            .as(row.toString())
                            .isEqualTo(row.get(column).textValue());
                    assertThat(text(whole.read(index)))
                            .as(row.toString())
                            .isEqualTo(row.get(column).textValue());
                }
            }
        }
    }

    @Test
    void badLinesAreReportedInWords() throws IOException {
        Path file = write(
                "{\"text\": \"a\"}",
                "",
                "{\"text\": \"caf\u00e9\"}",
                "{\"text\": 5}",
                "[1]",
                "{\"text\": \"\"}",
                "{\"text\": \"\\ud800\"}",
                "{\"text\": \"x\"",
                "{\"txt\": \"x\"}",
                "{\"text\": \"x\"} 5");
        byte[] bytes = Files.readAllBytes(file);
        bytes[30] = (byte) 0xFF; // within the second character that is no ASCII
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == (byte) 0xC3) {
                bytes[at] = (byte) 0xFF;
            }
        }
        Files.write(file, bytes);
        try (Dataset dataset = open(file, Map.of())) {
            assertThat(bad(dataset, 1).reason())
                    .isEqualTo(
                            "expected text in UTF-8, found the byte 0xFF; errors: replace reads U+FFFD in its place");
            assertThat(bad(dataset, 1).file()).isEqualTo(file + ":3");
            assertThat(bad(dataset, 2).reason()).isEqualTo("expected text as 'text', found a number");
            assertThat(bad(dataset, 3).reason()).isEqualTo("expected a JSON object in the line, found a list");
            assertThat(bad(dataset, 4).reason()).isEqualTo("expected a document as 'text', found an empty text");
            assertThat(bad(dataset, 5).reason()).contains("found half of a surrogate pair");
            assertThat(bad(dataset, 6).reason()).isEqualTo("expected JSON, found the end of the text within a value");
            assertThat(bad(dataset, 7).reason()).isEqualTo("expected a value at 'text' in the JSON, found none");
            assertThat(bad(dataset, 8).reason()).startsWith("expected one JSON value, found another one after it");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\ud800", "\\ud800x", "x\\udc00", "\\ud800\\ud800", "\\ud800\\n"})
    void halfOfAPairInANameIsNamed(String name) throws IOException {
        Path file = write("{\"text\": \"a\"}", "{\"text\": \"a\", \"b\": {\"" + name + "\": 1}}");
        for (String errors : List.of("quarantine", "replace")) {
            try (Dataset dataset = open(file, Map.of("errors", errors))) {
                assertThat(bad(dataset, 1).reason())
                        .startsWith("expected text as the name of a member, found half of a surrogate pair");
            }
        }
    }

    @Test
    void membersBecomeFieldsAndLabels() throws IOException {
        Path file = write(
                "{\"body\": {\"text\": \"a b\"}, \"id\": 7, \"score\": [0.5, 1], \"lang\": \"de\"}",
                "{\"body\": {\"text\": \"c\"}, \"id\": 8, \"score\": [2, 3], \"lang\": \"en\"}");
        Map<String, Object> options = Map.of(
                "text",
                "body/text",
                "fields",
                Map.of("text", "text", "id", "id", "score", "score", "label", "lang"),
                "classes",
                List.of("de", "en"));
        try (Dataset dataset = open(file, options)) {
            Sample second = dataset.read(1);
            assertThat(text(second)).isEqualTo("c");
            assertThat(second.label()).isEqualTo(dataset.label(1)).isEqualTo(1);
            assertThat(second.field("id").data()).startsWith(8);
            assertThat(second.field("score").shape()).containsExactly(2);
            assertThat(second.key()).isEqualTo("a.jsonl#1");
            assertThat(dataset.undeclared())
                    .get()
                    .satisfies(view -> assertThat(view.read(0).fieldNames()).containsExactlyInAnyOrder("id", "score"));
        }
    }

    @Test
    void chatsAreReadAsCompactJson() throws IOException {
        Path file = write(
                "{\"messages\": [ {\"role\": \"user\", \"content\": \"h\u00e9\"} ], \"chosen\": {\"a\": 1.50}}",
                "{\"messages\": [], \"chosen\": \"text\"}",
                "{\"messages\": null, \"chosen\": \"x\"}");
        Map<String, Object> text = Map.of("as", "text");
        try (Dataset dataset = open(file, Map.of("fields", Map.of("messages", text, "chosen", text)))) {
            assertThat(string(dataset.read(0), "messages")).isEqualTo("[{\"role\":\"user\",\"content\":\"h\u00e9\"}]");
            assertThat(string(dataset.read(0), "chosen")).isEqualTo("{\"a\":1.5}");
            assertThat(string(dataset.read(1), "messages")).isEqualTo("[]");
            assertThat(string(dataset.read(1), "chosen")).isEqualTo("text");
            assertThat(bad(dataset, 2).reason()).isEqualTo("expected a value at 'messages' in the JSON, found null");
        }
    }

    @Test
    void linesAcrossSearchedPiecesAreWhole() throws IOException {
        String long1 = "x".repeat((1 << 20) + 3);
        String long2 = "y".repeat(3 << 20);
        Path file = write("{\"text\": \"" + long1 + "\"}", " ", "{\"text\": \"" + long2 + "\"}", "{\"text\": \"z\"}");
        try (Dataset dataset = open(file, Map.of())) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(text(dataset.read(0))).isEqualTo(long1);
            assertThat(text(dataset.read(1))).isEqualTo(long2);
            assertThat(text(dataset.read(2))).isEqualTo("z");
        }
    }

    @Test
    void indexIsKeptAndMadeAgainWhenTheFileChanges() throws IOException {
        Path file = write("{\"text\": \"a\"}", "", "{\"text\": 5}");
        Map<String, Object> cached =
                Map.of("index_cache", folder.resolve("cache").toString());
        try (Dataset dataset = open(file, cached)) {
            assertThat(dataset.size()).isEqualTo(2);
        }
        try (Dataset kept = open(file, cached)) {
            assertThat(bad(kept, 1).file()).endsWith(":3");
        }
        assertThat(folder.resolve("cache").toFile().list()).hasSize(1);
        Files.writeString(file, "{\"text\": \"longer\"}\n{\"text\": \"b\"}\n{\"text\": \"c\"}\n");
        try (Dataset changed = open(file, cached)) {
            assertThat(changed.size()).isEqualTo(3);
            assertThat(text(changed.read(2))).isEqualTo("c");
        }
    }

    @Test
    void fileThatWasCutWhileItIsReadIsNoticed() throws IOException {
        Path file = write("{\"text\": \"a\"}", "{\"text\": \"b\"}");
        try (Dataset dataset = open(file, Map.of())) {
            Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 20));
            assertThatThrownBy(() -> dataset.read(1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("found the end");
        }
    }

    @Test
    void folderStandsForItsFilesOfEveryEnding() throws IOException {
        for (String name : List.of("odd.jsonl", "odd.jsonl.gz", "odd.jsonl.zst")) {
            Files.copy(VECTORS.resolve(name), folder.resolve(name));
        }
        Files.writeString(folder.resolve("other.gz"), "no");
        try (Dataset all = open(
                        folder, Map.of("index_cache", folder.resolve("cache").toString()));
                Dataset one = open(folder.resolve("odd.jsonl"), Map.of())) {
            assertThat(all.size()).isEqualTo(3 * one.size());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{\"text\": \"a\"}] | expected a JSON object in each line, found '[', the beginning of a list",
                "{\"content\": \"a\", \"id\": 1} | no member 'text' for the field 'text' in the first lines of",
                "{\"a\": {\"b\": \"x\"}} | found a. Set text to the member that holds the document",
                "'{\n  \"text\": \"a\"\n}' | at offset 0 expected a JSON object in each line, found '{' alone in a line",
                "'\n { \r\n  \"data\": [\n{}]}' | jq -c '.data[]' those of a list in the member data",
                "'' | no samples in",
            })
    void otherFilesAreRefusedWithTheReason(String content, String reason) throws IOException {
        Path file = write(content);
        assertThatThrownBy(() -> open(file, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining(file.toString());
    }

    @Test
    void memberWithADotIsRefusedWithTheSlashToWrite() throws IOException {
        Path file = write("{\"a\": {\"b\": \"x\"}}");
        assertThatThrownBy(() -> open(file, Map.of("text", "a.b")))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("no member 'a.b' for the field 'text'")
                .hasMessageContaining("found a. A member within a member is written with a slash: a/b");
        try (Dataset dataset = open(file, Map.of("text", "a/b"))) {
            assertThat(text(dataset.read(0))).isEqualTo("x");
        }
    }

    @ParameterizedTest
    @CsvSource({"gz, jsonl, rename it to end in .gz", "zst, jsonl, rename it to end in .zst", "zst, jsonl.gz, gzip file"
    })
    void contentOfAnotherKindThanTheNameSaysIsRefused(String content, String name, String advice) throws IOException {
        Path file = Files.copy(VECTORS.resolve("odd.jsonl." + content), folder.resolve("a." + name));
        assertThatThrownBy(() ->
                        open(file, Map.of("index_cache", folder.resolve("cache").toString())))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(file.toString())
                .hasMessageContaining("expected ")
                .hasMessageContaining("found ")
                .hasMessageContaining(advice);
    }

    @Test
    void utf16IsRefused() throws IOException {
        Path file = folder.resolve("a.jsonl");
        Files.write(file, "\ufeff{\"text\": \"a\"}\n".getBytes(StandardCharsets.UTF_16LE));
        assertThatThrownBy(() -> open(file, Map.of()))
                .hasMessageContaining("expected text in UTF-8, found UTF-16, by the first two bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "zst"})
    void compressedFileNeedsAFolderAndIsRefusedWhereItIsDamaged(String ending) throws IOException {
        Path file = VECTORS.resolve("odd.jsonl." + ending);
        assertThatThrownBy(() -> open(file, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("index_cache is none; set index_cache to a folder, or inflate the file");
        Path cut = folder.resolve("cut.jsonl." + ending);
        byte[] bytes = Files.readAllBytes(file);
        Path cache = folder.resolve("cache");
        for (int length : new int[] {0, 1, 10, bytes.length / 2, bytes.length - 1}) {
            Files.write(cut, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> open(cut, Map.of("index_cache", cache.toString())))
                    .as(length + " bytes")
                    .isInstanceOf(DatasetException.class)
                    .hasMessageContaining(cut.toString());
        }
    }

    private Path write(String... lines) throws IOException {
        return Files.writeString(folder.resolve("a.jsonl"), String.join("\n", lines) + "\n");
    }

    private static String text(Sample sample) {
        return string(sample, "text");
    }

    private static String string(Sample sample, String field) {
        return new String(sample.field(field).data(), StandardCharsets.UTF_8);
    }

    private static BadSampleException bad(Dataset dataset, long index) {
        return catchThrowableOfType(BadSampleException.class, () -> dataset.read(index));
    }

    private static Dataset open(Path path, Map<String, Object> options) throws IOException {
        Map<String, Object> values = new HashMap<>(options);
        values.put("path", path.toString());
        values.putIfAbsent("index_cache", "none");
        return new DatasetSpec("jsonl", OptionValues.of(new JsonlFormat().options(), values)).open();
    }
}
