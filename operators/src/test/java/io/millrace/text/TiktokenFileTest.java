package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TiktokenFileTest {
    /** Returns a file of ranks as OpenAI publishes it. */
    private static byte[] file(TiktokenEncoding encoding) {
        StringBuilder lines = new StringBuilder();
        byte[] @Nullable [] tokens = TiktokenFile.resource(encoding).tokens();
        for (int id = 0; id < tokens.length; id++) {
            lines.append(Base64.getEncoder().encodeToString(Objects.requireNonNull(tokens[id])))
                    .append(' ')
                    .append(id)
                    .append('\n');
        }
        return lines.toString().getBytes(StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(strings = {"r50k_base", "cl100k_base", "o200k_base"})
    void idsOfTheVocabulariesAreTiktokens(String name) throws Exception {
        JsonNode vectors = new ObjectMapper().readTree(Files.readAllBytes(LibraryVectors.file("tiktoken_ids.json")));
        JsonNode ids = vectors.path("ids").path(name);
        try (ChosenTokenizer chosen = Tokenizers.open(name)) {
            assertThat(chosen.describe())
                    .isEqualTo("tokenizer " + name + ": engine millrace, because Millrace has this vocabulary");
            assertThat(chosen.tokenizer().size())
                    .isEqualTo(vectors.path("ids").path(name + " size").intValue());
            for (int i = 0; i < ids.size(); i++) {
                String text = vectors.path("texts").path(i).textValue();
                assertThat(LibraryVectors.encode(chosen.tokenizer(), text))
                        .as(text)
                        .isEqualTo(new ObjectMapper().convertValue(ids.path(i), int[].class));
            }
        }
    }

    @Test
    void gpt2IsAnotherNameOfR50kBase() throws Exception {
        try (ChosenTokenizer chosen = Tokenizers.open("gpt2")) {
            assertThat(chosen.tokenizer().id("<|endoftext|>")).hasValue(50256);
            assertThat(SpecialTokens.of("gpt2"))
                    .isEqualTo(new SpecialTokens(Optional.empty(), Optional.of("<|endoftext|>")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"R50K_BASE", "CL100K_BASE", "O200K_BASE"})
    void publishedFileIsKnownByItsBytes(TiktokenEncoding encoding) throws Exception {
        RankedTokens read = TiktokenFile.read("file", file(encoding));
        assertThat(read.title()).isEqualTo(encoding.title());
        assertThat(read.tokens()).isDeepEqualTo(TiktokenFile.resource(encoding).tokens());
    }

    @Test
    void nameOfAFileDoesNotMatter(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("tokenizer.model"), file(TiktokenEncoding.R50K_BASE));
        try (ChosenTokenizer chosen = Tokenizers.open(file.toString())) {
            assertThat(chosen.reason()).isEqualTo("the file has the ranks of r50k_base");
            assertThat(LibraryVectors.encode(chosen.tokenizer(), "Hello")).containsExactly(15496);
        }
    }

    @Test
    void otherRanksAreRefusedBecauseTheirPatternIsUnknown(@TempDir Path folder) throws Exception {
        byte[] cut = file(TiktokenEncoding.R50K_BASE);
        Path file = Files.write(folder.resolve("r50k_base.tiktoken"), Arrays.copyOf(cut, cut.length / 2));
        assertThatThrownBy(() -> Tokenizers.open(file.toString()))
                .isInstanceOf(TokenizerException.class)
                .hasMessageContainingAll(
                        file + " has ranks of tiktoken, but no pattern",
                        "expected the file of r50k_base, p50k_base, cl100k_base, o200k_base, llama3, llama4",
                        "found the SHA-256 ",
                        "Name the tokenizer.json of the model instead");
    }

    @Test
    void specialTokensOfLlamaHaveMetasIds() {
        assertThat(TiktokenEncoding.LLAMA3.special())
                .hasSize(256)
                .containsEntry("<|begin_of_text|>", 128000)
                .containsEntry("<|eot_id|>", 128009)
                .containsEntry("<|reserved_special_token_2|>", 128012)
                .containsEntry("<|reserved_special_token_245|>", 128255);
        assertThat(TiktokenEncoding.LLAMA4.special())
                .hasSize(2048)
                .containsEntry("<|eot|>", 200008)
                .containsEntry("<|finetune_right_pad|>", 200018)
                .containsEntry("<|image_start|>", 200080)
                .containsEntry("<|vision_reserved_special_token_1047|>", 201133)
                .containsEntry("<|reasoning_thinking_end|>", 201143);
    }
}
