package io.millrace.diagnosis;

import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.ReadSettings;
import io.millrace.pipeline.RunPlan;
import io.millrace.source.ReadOptions;
import io.millrace.train.engine.TrainingRuntime;

/**
 * What a job's measurements do not tell of it.
 *
 * @param readThreads that each slot reads with; 0 where it is the slot's own thread that reads, as of data in memory
 * @param trainThreads that each trainer computes with
 * @param ranks trainers
 */
public record Setting(int readThreads, int trainThreads, int ranks) {
    /** That of a pipeline, with the training on a machine like this one. */
    public static Setting of(PipelineConfig config, RunPlan plan) {
        return new Setting(
                plan.resident() ? 0 : ReadSettings.of(config, plan).threadsAtWork(),
                TrainingRuntime.threads(config.train().threads()),
                config.trainers().ranks());
    }

    /** The same of one whose data was not looked at: with files to be read, and the threads that are usual. */
    public static Setting of(PipelineConfig config) {
        return new Setting(
                config.read().threads().orElse(ReadOptions.THREADS),
                TrainingRuntime.threads(config.train().threads()),
                config.trainers().ranks());
    }

    public Setting {
        if (readThreads < 0 || trainThreads < 1 || ranks < 1) {
            throw new IllegalArgumentException("expected at least 0 reading threads, and 1 thread and rank, found "
                    + readThreads + ", " + trainThreads + " and " + ranks);
        }
    }
}
