package io.millrace.diagnosis;

import io.millrace.config.PipelineConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.pipeline.ReadSettings;
import io.millrace.pipeline.RunPlan;
import io.millrace.python.PythonDatasetFormat;
import io.millrace.sample.SampleUnit;
import io.millrace.sequence.PackFill;
import io.millrace.source.ReadOptions;
import io.millrace.train.engine.TrainingRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Properties of a job that its measurements do not contain.
 *
 * @param readThreads the number of reading threads of each slot that can work at once; 0 when the slot's own thread reads, for
 *     example data in memory
 * @param trainThreads the number of threads of each trainer's step, at least 1
 * @param ranks the number of trainers, at least 1
 * @param loop the owner of the training loop
 * @param unit the word for the samples in throughputs
 * @param packs the fill of the packs, if the samples are packs of documents; null otherwise, or when unknown
 */
public record Setting(
        int readThreads,
        int trainThreads,
        int ranks,
        Loop loop,
        SampleUnit unit,
        @Nullable PackFill packs) {
    /** The owner of the training loop. */
    public enum Loop {
        /** The job trains. */
        JOB,
        /** Clients of a served run train, in processes of their own. */
        CLIENTS
    }

    /** Creates the setting of a job that trains. */
    public Setting(int readThreads, int trainThreads, int ranks) {
        this(readThreads, trainThreads, ranks, Loop.JOB, SampleUnit.SAMPLES, null);
    }

    /** Returns the setting of the same job with another owner of the training loop. */
    public Setting with(Loop owner) {
        return new Setting(readThreads, trainThreads, ranks, owner, unit, packs);
    }

    /** Returns the setting of the same job with another word for its samples. */
    public Setting with(SampleUnit counted) {
        return new Setting(readThreads, trainThreads, ranks, loop, counted, packs);
    }

    /** Returns the setting of the same job with another fill of its packs. */
    public Setting with(@Nullable PackFill fill) {
        return new Setting(readThreads, trainThreads, ranks, loop, unit, fill);
    }

    /** Returns the setting of a planned pipeline, with the trainer on a machine like this one. */
    public static Setting of(PipelineConfig config, RunPlan plan) {
        return new Setting(
                        plan.resident()
                                ? 0
                                : atWork(config, ReadSettings.of(config, plan).threadsAtWork()),
                        TrainingRuntime.threads(config.train().threads()),
                        config.train().trainers().ranks())
                .with(plan.unit())
                .with(plan.packFill().orElse(null));
    }

    /**
     * Returns the setting of a pipeline whose data is unknown: it reads files, with the default number of
     * threads. Its samples are called samples.
     */
    public static Setting of(PipelineConfig config) {
        return new Setting(
                atWork(config, config.data().read().threads().orElse(ReadOptions.THREADS)),
                TrainingRuntime.threads(config.train().threads()),
                config.train().trainers().ranks());
    }

    /** Returns how many reading threads can work at once: for a Python dataset, those with a worker process. */
    private static int atWork(PipelineConfig config, int threads) {
        DatasetSpec dataset = config.data().dataset().spec();
        return config.data().mix().isEmpty() && dataset.format().equals(PythonDatasetFormat.NAME)
                ? Math.min(threads, dataset.options().get(PythonDatasetFormat.WORKERS))
                : threads;
    }

    public Setting {
        if (readThreads < 0 || trainThreads < 1 || ranks < 1) {
            throw new IllegalArgumentException("expected at least 0 reading threads, and 1 thread and rank, found "
                    + readThreads + ", " + trainThreads + " and " + ranks);
        }
    }
}
