package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyPlacesTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void write() throws Exception {
        file = Files.writeString(folder.resolve("run.yaml"), """
                dataset:
                  format: folder
                  path: photos
                evaluate:
                  dataset:
                    format: folder
                    path: others
                """);
    }

    private PipelineConfig read(String... overrides) throws Exception {
        return ConfigReader.read(file, List.of(overrides));
    }

    @Test
    void aKeyOfTheFileHasItsLine() throws Exception {
        assertThat(read().places().problem("dataset.path", "wrong")).contains(file + ":3: dataset.path: wrong");
        assertThat(read().places().problem("evaluate.dataset", "wrong")).contains(file + ":5: evaluate.dataset: wrong");
    }

    @Test
    void anOverriddenKeyHasTheOverride() throws Exception {
        assertThat(read("dataset.path=films").places().problem("dataset.path", "wrong"))
                .contains("--set dataset.path=films: dataset.path: wrong");
    }

    @Test
    void aKeyThatNobodyWroteHasNoPlace() throws Exception {
        assertThat(read().places().problem("dataset.labels", "wrong")).isEmpty();
        assertThat(read().places().problem("dataset.path.deeper", "wrong")).isEmpty();
        assertThat(KeyPlaces.NONE.problem("dataset", "wrong")).isEmpty();
    }

    @Test
    void placesSurviveChangesOfThePipeline() throws Exception {
        assertThat(read().absolute().withoutPlacement().places().problem("dataset.path", "wrong"))
                .contains(file + ":3: dataset.path: wrong");
        assertThat(read().ofEvaluation().orElseThrow().places().problem("dataset.path", "wrong"))
                .contains(file + ":7: evaluate.dataset.path: wrong");
    }

    @Test
    void equalPipelinesMayBeWrittenInDifferentPlaces() throws Exception {
        PipelineConfig config = read();
        Files.writeString(file, "\n\n" + Files.readString(file));
        assertThat(read()).isEqualTo(config).hasSameHashCodeAs(config);
    }
}
