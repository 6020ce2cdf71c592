package io.millrace.diagnosis;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.generate.ExistingFiles;
import io.millrace.generate.Generators;
import io.millrace.generate.ProgressListener;
import io.millrace.option.OptionValues;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Small pipelines on digits that are limited by a known stage. The stage sleeps, so it is equally slow on every
 * machine.
 */
public final class TrialPipelines {
    /** The time that the sleeping stage spends on each sample, in milliseconds. */
    public static final double DELAY_MILLIS = 20;

    private TrialPipelines() {}

    /** Writes data and a pipeline file into the folder, and returns the file. */
    public static Path file(Path folder) throws Exception {
        Path digits = folder.resolve("digits");
        Generators.generate(
                "digits",
                OptionValues.of(Generators.options("digits"), Map.of("train", 400L, "test", 50L)),
                digits,
                ExistingFiles.REFUSE,
                ProgressListener.silent());
        return Files.writeString(
                folder.resolve("trial.yaml"), """
                # a pipeline with a known limit
                dataset: { format: idx, path: %s, epochs: 100000 }
                transforms:
                  - RandomMask: { ratio: 0.05 }
                  - Delay: { ms: %s, mode: sleep }
                parallelism: 1
                batch: { size: 16 }
                device: { transforms: [ ToFloat ] }
                train: { model: { mlp: { hidden: [16] } }, threads: 1 }
                checkpoint: off
                run: { folder: %s, web_port: 0 }
                """.formatted(digits, DELAY_MILLIS, folder.resolve("runs")));
    }

    /** Writes data and a pipeline file into the folder, and returns the pipeline. */
    public static PipelineConfig config(Path folder) throws Exception {
        return ConfigReader.read(file(folder), List.of());
    }
}
