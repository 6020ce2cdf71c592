package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteLevelTokenizerTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/text");

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
}
