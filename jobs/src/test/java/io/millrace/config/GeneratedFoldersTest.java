package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratedFoldersTest {
    @TempDir
    Path folder;

    private PipelineConfig read(String dataset, String tokenizer) throws IOException, ConfigException {
        Path file = Files.writeString(folder.resolve("text.yaml"), """
                %s
                transforms: [ tokenize: { tokenizer: %s }, pack_sequences: { length: 8 } ]
                train: { model: none, input: [tokens, lengths] }
                """.formatted(
                        dataset.replace("FOLDER", folder.toString()), folder.resolve(tokenizer)));
        return ConfigReader.read(file, List.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"new", "new/tokenizer.json", "new/../new"})
    void tokenizerThatIsGeneratedWithTheDatasetNeedNotExist(String tokenizer) throws Exception {
        PipelineConfig config =
                read("dataset: { format: jsonl, path: FOLDER/new/documents.jsonl, generate: text }", tokenizer);
        assertThat(config.data().transforms()).hasSize(2);
    }

    @Test
    void tokenizerOfAGeneratedDatasetOfAMixtureNeedNotExist() throws Exception {
        assertThat(read("""
                datasets:
                  a: { format: jsonl, path: FOLDER/a/documents.jsonl, generate: text }
                  b: { format: jsonl, path: FOLDER/b/documents.jsonl, generate: { text: { seed: 2 } } }
                mix: [{ steps: 4, weights: { a: 1, b: 1 } }]
                mix_epoch: 2""", "b").data().sources()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"elsewhere", "newer", "new/../other", "tokenizer.json"})
    void otherMissingTokenizersAreReported(String tokenizer) {
        assertThatThrownBy(() ->
                        read("dataset: { format: jsonl, path: FOLDER/new/documents.jsonl, generate: text }", tokenizer))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("tokenize: tokenizer: ")
                .hasMessageContaining("found no such file");
    }

    @Test
    void missingTokenizerInAFolderThatNobodyGeneratesIsReported() {
        assertThatThrownBy(() -> read("dataset: { format: jsonl, path: FOLDER/new/documents.jsonl }", "new"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("found no such file");
    }
}
