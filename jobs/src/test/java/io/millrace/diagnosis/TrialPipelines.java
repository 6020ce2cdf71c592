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

/** Small pipelines on digits with a stage that is known to limit them: it waits, so that no machine is faster. */
public final class TrialPipelines {
    /** What the waiting stage takes for each sample. */
    public static final double DELAY_MILLIS = 20;

    private TrialPipelines() {}

    /** Writes data and a pipeline file into the folder. */
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
                # a known culprit
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

    /** The same, read. */
    public static PipelineConfig config(Path folder) throws Exception {
        return ConfigReader.read(file(folder), List.of());
    }
}
