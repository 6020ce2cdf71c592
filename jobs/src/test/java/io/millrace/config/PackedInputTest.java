package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The default of {@code train.input} where sequences are packed. */
class PackedInputTest {
    private static final Path TOKENIZER = Path.of("../operators/src/test/resources/vectors/text/byte_level_gpt2.json")
            .toAbsolutePath();

    private static final String PACKED = """
            dataset: { format: text, path: a.txt }
            transforms:
              - tokenize: { tokenizer: TOKENIZER }
              - pack_sequences: { length: 16 }
            """;

    @TempDir
    Path folder;

    @Test
    void packedSequencesAreTheInput() throws Exception {
        assertThat(inputs(PACKED + "train: { model: none }\n")).containsExactly("tokens", "lengths");
        assertThat(inputs(PACKED)).containsExactly("tokens", "lengths");
        assertThat(ConfigReader.readServed(file(PACKED), List.of(), List.of(TrainConfig.WITHOUT_MODEL))
                        .train()
                        .roles()
                        .inputs())
                .containsExactly("tokens", "lengths");
    }

    @Test
    void packedSequencesOfAMixtureAreTheInput() throws Exception {
        String mixture = """
                datasets:
                  web: { format: text, path: a.txt, transforms: [tokenize: {tokenizer: TOKENIZER}, pack_sequences: {length: 16}] }
                  code: { format: text, path: b.txt, transforms: [tokenize: {tokenizer: TOKENIZER}, pack_sequences: {length: 16}] }
                mix: [{ steps: 10, weights: { web: 0.5, code: 0.5 } }]
                train: { model: none }
                """;
        assertThat(inputs(mixture)).containsExactly("tokens", "lengths");
    }

    @Test
    void namedInputsAndOtherTransformsAreLeftAlone() throws Exception {
        assertThat(inputs(PACKED + "train: { model: none, input: tokens }\n")).containsExactly("tokens");
        assertThat(inputs("dataset: { format: folder, path: a }\ntransforms: [decode]\ntrain: { model: none }\n"))
                .containsExactly("image");
    }

    private List<String> inputs(String text) throws Exception {
        return ConfigReader.read(file(text), List.of()).train().roles().inputs();
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("packed.yaml"), text.replace("TOKENIZER", TOKENIZER.toString()));
    }
}
