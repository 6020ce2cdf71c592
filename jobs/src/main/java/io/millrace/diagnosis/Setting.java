package io.millrace.diagnosis;

import io.millrace.config.PipelineConfig;
import io.millrace.source.ReadOptions;
import io.millrace.train.TrainingRuntime;

/**
 * What a job's measurements do not tell of it.
 *
 * @param readThreads that each slot reads with
 * @param trainThreads that each trainer computes with
 * @param ranks trainers
 */
public record Setting(int readThreads, int trainThreads, int ranks) {
    /** That of a pipeline, with the training on a machine like this one. */
    public static Setting of(PipelineConfig config) {
        return new Setting(
                config.read().threads().orElse(ReadOptions.THREADS),
                TrainingRuntime.threads(config.train().threads()),
                config.trainers().ranks());
    }

    public Setting {
        if (readThreads < 1 || trainThreads < 1 || ranks < 1) {
            throw new IllegalArgumentException("threads and ranks: expected at least 1, found " + readThreads + ", "
                    + trainThreads + " and " + ranks);
        }
    }
}
