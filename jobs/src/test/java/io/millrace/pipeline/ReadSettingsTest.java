package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.source.ReadOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadSettingsTest {
    @TempDir
    Path folder;

    @Test
    void windowHasRoomForWhatReadersReadAhead() throws Exception {
        ReadOptions suited = read();
        assertThat(suited.window()).isEqualTo(ReadOptions.window(8, suited.rangeSize(), 2, suited.readAhead()));

        assertThat(read("read.read_ahead=16", "read.threads=8"))
                .isEqualTo(new ReadOptions(suited.rangeSize(), suited.window() + 2 * 12, 16, 8));
        assertThat(read("read.range=4").window()).isEqualTo(4 + 2 * 5);
        assertThat(read("read.read_ahead=16", "read.window=3").window()).isEqualTo(3);
    }

    private ReadOptions read(String... settings) throws Exception {
        Path file = Files.writeString(folder.resolve("x.yaml"), """
                dataset: { format: synthetic, size: 4096 }
                parallelism: 2
                batch: { size: 8 }
                train: { model: none }
                """);
        PipelineConfig config = ConfigReader.read(file, List.of(settings));
        return ReadSettings.of(config, RunPlanner.plan(config));
    }
}
