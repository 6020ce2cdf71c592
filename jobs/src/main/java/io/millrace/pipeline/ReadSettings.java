package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.config.ReadConfig;
import io.millrace.source.ReadOptions;

/** The options of the source. Options that the pipeline file does not set have values that suit the samples. */
public final class ReadSettings {
    private ReadSettings() {}

    /** Returns the options of a pipeline. */
    public static ReadOptions of(PipelineConfig config, RunPlan plan) {
        int parallelism =
                config.slots().stages().parallelism(Stages.READ, config.slots().parallelism());
        ReadConfig read = config.data().read();
        ReadOptions suited = ReadOptions.forDataset(
                config.batch().size(),
                plan.storedBytes(),
                parallelism,
                plan.batches().trainSamples());
        int range = read.range().orElse(suited.rangeSize());
        int ahead = read.readAhead().orElse(suited.readAhead());
        return new ReadOptions(
                range,
                read.window().orElseGet(() -> ReadOptions.window(config.batch().size(), range, parallelism, ahead)),
                ahead,
                read.threads().orElse(suited.threads()));
    }
}
