package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelFilesTest {
    @TempDir
    Path folder;

    private PipelineConfig config(String ranks) throws Exception {
        return ConfigReader.read(
                Files.writeString(folder.resolve("run.yaml"), """
                dataset: { format: synthetic, size: 4, shape: [2, 2, 3], classes: 2 }
                train:
                  model:
                    torchscript:
                      classes: 2
                      path: %s/model.pt
                %s""".formatted(folder, ranks)), List.of());
    }

    @Test
    void aMissingFileOfTheModelHasItsLine() throws Exception {
        PipelineConfig config = config("");
        assertThatThrownBy(() -> ModelFiles.require(config))
                .isInstanceOf(PipelineException.class)
                .hasMessage(folder.resolve("run.yaml") + ":6: train.model.torchscript.path: no such file: "
                        + folder.resolve("model.pt"));
        Files.writeString(folder.resolve("model.pt"), "exists");
        ModelFiles.require(config);
    }
}
