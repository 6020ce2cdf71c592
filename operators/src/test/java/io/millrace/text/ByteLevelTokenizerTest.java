package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.metrics.CacheUse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteLevelTokenizerTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/text");

    @Test
    void useOfTheCacheCountsRepeatedPretokens() throws Exception {
        byte[] utf8 = (" a".repeat(3) + " " + "q".repeat(40)).getBytes(StandardCharsets.UTF_8);
        try (ChosenTokenizer chosen =
                Tokenizers.open(VECTORS.resolve("byte_level_gpt2.json").toString())) {
            assertThat(chosen.tokenizer().cacheUse()).isEqualTo(new CacheUse(0, 0));
            for (int round = 0; round < 2; round++) {
                chosen.tokenizer().encode(utf8, 0, utf8.length, new TokenIds());
            }
            assertThat(chosen.tokenizer().cacheUse())
                    .as("the long pretoken is never kept")
                    .isEqualTo(new CacheUse(8, 5));
            assertThat(new CacheUse(8, 5).plus(new CacheUse(2, 0)).share()).isEqualTo(0.5);
            assertThat(new CacheUse(0, 0).share()).isNaN();
        }
    }

    @ParameterizedTest
    @CsvSource({"gpt2, texts", "llama3, texts", "qwen, texts", "nfc, texts", "words, words"})
    void idsAreTheLibrarysWithAColdAndAWarmCache(String name, String texts) throws Exception {
        JsonNode vectors = new ObjectMapper().readTree(Files.readAllBytes(VECTORS.resolve("byte_level_ids.json")));
        try (ChosenTokenizer chosen =
                Tokenizers.open(VECTORS.resolve("byte_level_" + name + ".json").toString())) {
            assertThat(chosen.describe()).contains("engine millrace, because the model is a byte-level BPE");
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < vectors.path(texts).size(); i++) {
                    String text = vectors.path(texts).path(i).asText();
                    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                    TokenIds ids = new TokenIds();
                    chosen.tokenizer().encode(utf8, 0, utf8.length, ids);
                    int[] expected = new ObjectMapper()
                            .convertValue(vectors.path("ids").path(name).path(i), int[].class);
                    assertThat(ids.toArray()).as(text).isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void spansOfTextsWithSingleWordsMakeUpTheText() throws Exception {
        JsonNode vectors = new ObjectMapper().readTree(Files.readAllBytes(VECTORS.resolve("byte_level_ids.json")));
        try (ChosenTokenizer chosen =
                Tokenizers.open(VECTORS.resolve("byte_level_words.json").toString())) {
            for (JsonNode words : vectors.path("words")) {
                byte[] utf8 = Normalizer.normalize(words.asText(), Normalizer.Form.NFC)
                        .getBytes(StandardCharsets.UTF_8);
                TokenSpans spans = new TokenSpans();
                TokenIds ids = new TokenIds();
                chosen.tokenizer().encode(utf8, 0, utf8.length, ids, spans);
                for (int i = 0; i < ids.size(); i++) {
                    assertThat(spans.begin(i)).isEqualTo(i == 0 ? 0 : spans.end(i - 1));
                }
                assertThat(spans.end(ids.size() - 1)).isEqualTo(utf8.length);
            }
        }
    }

    /** Files of before 2020, such as those of GPT-2 and RoBERTa, state no type. */
    @Test
    void modelThatStatesNoTypeIsAPairEncoding(@TempDir Path folder) throws Exception {
        Path file = VECTORS.resolve("byte_level_gpt2.json");
        ObjectNode json = (ObjectNode) new ObjectMapper().readTree(Files.readAllBytes(file));
        ((ObjectNode) json.path("model")).remove("type");
        Path untyped = folder.resolve("untyped.json");
        new ObjectMapper().writeValue(untyped.toFile(), json);
        try (ChosenTokenizer typed = Tokenizers.open(file.toString());
                ChosenTokenizer chosen = Tokenizers.open(untyped.toString())) {
            assertThat(chosen.tokenizer().engine()).isEqualTo("millrace");
            for (String text : LibraryVectors.texts()) {
                assertThat(LibraryVectors.encode(chosen.tokenizer(), text))
                        .isEqualTo(LibraryVectors.encode(typed.tokenizer(), text));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            model         | {"type": "WordLevel", "vocab": {"a": 0}}        | the model is WordLevel
            model         | {"vocab": {"a": 0}}                             | the file names no type of model
            model         | {"type": "BPE", "dropout": 0.1, "vocab": {}}    | its model has dropout
            model         | {"type": "BPE", "vocab": {"a": 0}, "merges": []}| its vocabulary has no token \u0100
            normalizer    | {"type": "Lowercase"}                           | its normalizer is Lowercase
            added_tokens  | [{"id": 1, "content": "<w>"}]                   | its added token <w> has another id than the library gives it
            added_tokens  | [{"id": 400, "content": " "}, {"id": 401, "content": "<w>", "rstrip": true}]| an added token begins with white space, and another has rstrip
            added_tokens  | [{"id": 400, "content": "<w>", "single_word": true}, {"id": 64, "content": "a", "rstrip": true}]| an added token has single_word, and another, which the model has, has rstrip
            """)
    void fileThatOurEngineDoesNotReproduceIsLeftToTheLibraryWithTheReason(String key, String value, String reason)
            throws Exception {
        ObjectNode json =
                (ObjectNode) new ObjectMapper().readTree(Files.readAllBytes(VECTORS.resolve("byte_level_qwen.json")));
        json.set(key, new ObjectMapper().readTree(value));
        TokenizerJson file = TokenizerJson.read("t.json", new ObjectMapper().writeValueAsBytes(json));
        assertThatThrownBy(() -> ByteLevelFile.read(Path.of("t.json"), file))
                .isInstanceOf(ByteLevelVocabulary.OtherEngineException.class)
                .hasMessage(reason);
    }

    @Test
    void mergesThatTheVocabularyLacksAreLeftToTheLibrary() throws Exception {
        ObjectNode json =
                (ObjectNode) new ObjectMapper().readTree(Files.readAllBytes(VECTORS.resolve("byte_level_qwen.json")));
        for (String[] merge : new String[][] {
            {"[[\"zz\", \"a\"]]", "its vocabulary has no token zz"}, {"[\"a\"]", "its merge 0 has no two tokens"}
        }) {
            ((ObjectNode) json.path("model")).set("merges", new ObjectMapper().readTree(merge[0]));
            TokenizerJson file = TokenizerJson.read("t.json", new ObjectMapper().writeValueAsBytes(json));
            assertThatThrownBy(() -> ByteLevelFile.read(Path.of("t.json"), file))
                    .hasMessage(merge[1]);
        }
    }
}
