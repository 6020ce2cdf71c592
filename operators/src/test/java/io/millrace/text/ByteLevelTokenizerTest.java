package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.metrics.CacheUse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    @ValueSource(strings = {"gpt2", "llama3", "qwen", "nfc"})
    void idsAreTheLibrarysWithAColdAndAWarmCache(String name) throws Exception {
        JsonNode vectors = new ObjectMapper().readTree(Files.readAllBytes(VECTORS.resolve("byte_level_ids.json")));
        try (ChosenTokenizer chosen =
                Tokenizers.open(VECTORS.resolve("byte_level_" + name + ".json").toString())) {
            assertThat(chosen.describe()).contains("engine millrace, because the model is a byte-level BPE");
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < vectors.path("texts").size(); i++) {
                    String text = vectors.path("texts").path(i).asText();
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
}
