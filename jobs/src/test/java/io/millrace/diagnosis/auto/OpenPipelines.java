package io.millrace.diagnosis.auto;

import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Pipelines of read, delay, mask and pack whose files leave slots or stages to be chosen. */
final class OpenPipelines {
    private OpenPipelines() {}

    /** Returns a pipeline with {@code parallelism: auto} and these settings. */
    static PipelineConfig of(String... settings) {
        try {
            Path file = Files.createTempFile("open", ".yaml");
            try {
                Files.writeString(file, """
                        dataset: { format: synthetic, size: 1000, shape: [8, 8, 3] }
                        transforms: [ Delay: { ms: 8, mode: sleep }, RandomMask ]
                        parallelism: auto
                        train: { model: none }
                        """);
                return ConfigReader.read(file, List.of(settings));
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
