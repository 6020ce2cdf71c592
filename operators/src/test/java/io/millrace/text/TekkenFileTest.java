package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TekkenFileTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path TEKKEN = LibraryVectors.file("tekken.json");

    @TempDir
    Path folder;

    @Test
    void idsAreThoseOfMistralCommon() throws Exception {
        JsonNode vectors = JSON.readTree(Files.readAllBytes(LibraryVectors.file("tekken_ids.json")));
        try (ChosenTokenizer chosen = Tokenizers.open(TEKKEN.toString())) {
            assertThat(chosen.reason()).isEqualTo("the file has the ranks of tekken v13");
            Tokenizer tokenizer = chosen.tokenizer();
            assertThat(tokenizer.size()).isEqualTo(vectors.path("size").intValue());
            for (int i = 0; i < vectors.path("ids").size(); i++) {
                String text = vectors.path("texts").path(i).textValue();
                assertThat(LibraryVectors.encode(tokenizer, text))
                        .as(text)
                        .isEqualTo(JSON.convertValue(vectors.path("ids").path(i), int[].class));
            }
            assertThat(vectors.path("ids").size()).isGreaterThan(100);
            assertThat(tokenizer.id("[THINK]")).hasValue(6);
            assertThat(tokenizer.id("<SPECIAL_17>")).hasValue(17);
        }
    }

    @Test
    void textsBeginAndEndWithTheTokensThatAllFilesHave() throws Exception {
        JsonNode ends =
                JSON.readTree(LibraryVectors.file("tekken_ids.json").toFile()).path("ends");
        Files.copy(TEKKEN, folder.resolve("tekken.json"));
        for (Path named : List.of(folder, TEKKEN)) { // a folder without a tokenizer.json
            SpecialTokens special = SpecialTokens.of(named.toString());
            assertThat(special).isEqualTo(new SpecialTokens(Optional.of("<s>"), Optional.of("</s>")));
            try (ChosenTokenizer chosen = Tokenizers.open(named.toString())) {
                assertThat(chosen.tokenizer().id("<s>")).hasValue(ends.path(0).intValue());
                assertThat(chosen.tokenizer().id("</s>")).hasValue(ends.path(1).intValue());
            }
        }
        Files.writeString(folder.resolve("tokenizer_config.json"), "{\"eos_token\": \"[/INST]\"}");
        assertThat(SpecialTokens.of(folder.toString()))
                .isEqualTo(new SpecialTokens(Optional.of("<s>"), Optional.of("[/INST]")));
    }

    @Test
    void oldFilesWithoutSpecialTokensHaveTheFirstOnes() throws Exception {
        Path old = changed(file -> {
            file.remove("special_tokens");
            config(file).put("version", "v3");
        });
        try (ChosenTokenizer chosen = Tokenizers.open(old.toString())) {
            assertThat(chosen.tokenizer().id("[TOOL_CONTENT]")).hasValue(19);
            assertThat(chosen.tokenizer().id("<SPECIAL_20>")).hasValue(20);
        }
    }

    @Test
    void otherFilesAreRefusedWithWhatWasExpected() throws Exception {
        assertRefused(file -> config(file).put("pattern", "\\s+"), "its pattern is unknown", "found \\s+");
        assertRefused(
                file -> config(file).put("default_vocab_size", 100_000),
                "expected \"default_vocab_size\" of 296 to 740");
        assertRefused(
                file -> config(file).put("default_num_special_tokens", "x"), "expected \"default_num_special_tokens\"");
        assertRefused(
                file -> config(file).put("default_num_special_tokens", 3).put("default_vocab_size", 600),
                "expected at most 3 \"special_tokens\"");
        assertRefused(file -> file.remove("special_tokens"), "expected \"special_tokens\" in a file of version 'v13'");
        assertRefused(
                file -> ((ObjectNode) file.path("special_tokens").path(2)).put("token_str", "<s>"),
                "<s> is there twice");
        assertRefused(
                file -> ((ObjectNode) file.path("special_tokens").path(2)).put("rank", 7),
                "expected \"rank\": 2 and \"token_str\" at place 2 of \"special_tokens\"");
        assertRefused(
                file -> ((ArrayNode) file.path("vocab")).remove(300), "expected \"rank\": 300 and \"token_bytes\"");
        assertRefused(
                file -> ((ObjectNode) file.path("vocab").path(65)).put("token_bytes", "Qg=="),
                "expected the byte 65 as the token of rank 65");
        assertRefused(
                file -> ((ObjectNode) file.path("vocab").path(300)).put("token_bytes", "?"),
                "cannot be read as JSON: ");
        assertRefused(file -> file.put("vocab", 3), "expected an array as \"vocab\"");
        Path cut = folder.resolve("cut.json");
        byte[] whole = Files.readAllBytes(TEKKEN);
        for (int length = whole.length / 2; length < whole.length - 2; length += whole.length / 9) {
            Files.write(cut, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> Tokenizers.open(cut.toString()))
                    .isInstanceOf(TokenizerException.class)
                    .hasMessageStartingWith(cut + " cannot be read as JSON: ");
        }
    }

    private static ObjectNode config(ObjectNode file) {
        return (ObjectNode) file.path("config");
    }

    private Path changed(Consumer<ObjectNode> change) throws IOException {
        ObjectNode file = (ObjectNode) JSON.readTree(TEKKEN.toFile());
        change.accept(file);
        return Files.write(folder.resolve("changed.json"), JSON.writeValueAsBytes(file));
    }

    private void assertRefused(Consumer<ObjectNode> change, String... sentences) throws IOException {
        Path file = changed(change);
        assertThatThrownBy(() -> Tokenizers.open(file.toString()))
                .isInstanceOf(TokenizerException.class)
                .hasMessageStartingWith(file.toString())
                .hasMessageContainingAll(sentences);
    }
}
