package io.millrace.diagnosis;

import io.millrace.batch.Filling;
import io.millrace.config.PipelineConfig;
import io.millrace.config.RunConfig;
import io.millrace.option.TimeSpan;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.rest.FlinkRest;
import io.millrace.rest.JobReading;
import io.millrace.rest.MachinesReading;
import io.millrace.sink.spec.SinkSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A runner of trials on Flink, one after another, each until the speed of its pipeline is steady. A trial submits the same job that would train,
 * cancels it, and writes its files to a folder of the caller. Not thread-safe.
 */
public final class Trials implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Trials.class);

    /** The time between two readings. Flink also gathers metrics at this interval. */
    private static final Duration INTERVAL = Duration.ofMillis(250);

    private final FlinkJobs jobs;
    private final Path folder;
    private final BooleanSupplier cancelled;
    private final Optional<EmbeddedFlink> embedded;
    private final CoreSlowdown slowdown;
    private int number;

    private Trials(
            FlinkJobs jobs,
            Path folder,
            BooleanSupplier cancelled,
            Optional<EmbeddedFlink> embedded,
            CoreSlowdown slowdown) {
        this.jobs = jobs;
        this.folder = folder;
        this.cancelled = cancelled;
        this.embedded = embedded;
        this.slowdown = slowdown;
    }

    /** Starts Flink in this process for trials that are never cancelled; see {@link #start(int, Path, BooleanSupplier)}. */
    public static Trials start(int slots, Path folder) throws Exception {
        return start(slots, folder, () -> false);
    }

    /**
     * Starts Flink in this process. It stops when the trials are closed.
     *
     * @param slots the number of slots of the largest pipeline that will be tried, at least 1
     * @param folder an existing folder for the files that the pipelines write
     * @param cancelled returns true when the running trial must stop; it is called after each reading
     */
    public static Trials start(int slots, Path folder, BooleanSupplier cancelled) throws Exception {
        Configuration more = new Configuration();
        more.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, INTERVAL);
        CoreSlowdown slowdown = CoreSlowdown.measure();
        LOG.info("cores: {}", slowdown);
        EmbeddedFlink flink = EmbeddedFlink.start(slots, "0", RunConfig.Web.OFF, more);
        return new Trials(flink.jobs(), folder, cancelled, Optional.of(flink), slowdown);
    }

    /**
     * Creates trials on the caller's Flink, which stays open. A trial takes longer when that Flink gathers metrics less
     * often.
     */
    public static Trials on(FlinkJobs jobs, Path folder, BooleanSupplier cancelled) {
        return new Trials(jobs, folder, cancelled, Optional.empty(), CoreSlowdown.UNKNOWN);
    }

    /**
     * Runs a pipeline and measures its speed.
     *
     * @param config a pipeline whose training should last at least as long as the limits; a shorter one is measured until
     *     it ends
     * @throws IOException when the pipeline ends before its speed could be measured, or the trial is cancelled
     * @throws Exception the cause of the failure, when the pipeline fails
     */
    public Trial run(PipelineConfig config, TrialLimits limits) throws Exception {
        return run(config, Filling.EVERY_ROW, limits);
    }

    /** Runs a pipeline whose packers fill rows as {@code filling} defines, and measures its speed. */
    public Trial run(PipelineConfig config, Filling filling, TrialLimits limits) throws Exception {
        return run(config, RunPlanner.plan(config), filling, limits);
    }

    /** Runs a pipeline with a plan that has been made already, and measures its speed. */
    public Trial run(PipelineConfig config, RunPlan plan, Filling filling, TrialLimits limits) throws Exception {
        Path run = Files.createDirectories(folder.resolve("trial-" + number++));
        SinkSpec sink = Sinks.of(config, plan, run);
        JobID job = jobs.submit(Pipeline.graph(config, plan, sink, Origin.FRESH, filling), limits.timeout());
        CompletableFuture<JobResult> ending = jobs.result(job);
        try {
            return watch(config, plan, job, ending, limits);
        } finally {
            if (!ending.isDone()) {
                jobs.cancel(job);
            }
            ending.get();
        }
    }

    private Trial watch(
            PipelineConfig config, RunPlan plan, JobID job, CompletableFuture<JobResult> ending, TrialLimits limits)
            throws Exception {
        FlinkRest rest = new FlinkRest(jobs.web());
        List<String> stages = new ArrayList<>(Pipeline.stages(config).keySet());
        stages.add(CapacityModel.STEP);
        Setting setting = Setting.of(config, plan);
        TrialReadings readings = new TrialReadings(limits);
        long submittedNanos = System.nanoTime();
        long begunNanos = 0;
        while (true) {
            boolean ended = ended(ending);
            JobReading reading = ended ? null : read(rest, job, stages);
            Double clock = reading == null ? null : reading.trainer().clockMillis();
            Long samples = reading == null ? null : reading.trainer().samples();
            if (reading != null && clock != null && samples != null && samples > 0) {
                // This is the clock of this process, because the trainer's clock stands still while no reading arrives.
                begunNanos = begunNanos == 0 ? System.nanoTime() : begunNanos;
                Duration elapsed = Duration.ofNanos(System.nanoTime() - begunNanos);
                readings.add(reading, elapsed, clock, samples, CompilerWarmUp.compiledMillis());
                Optional<Trial> trial = readings.end() ? trial(readings, setting) : Optional.empty();
                if (trial.isPresent()) {
                    return trial.get();
                }
            }
            if (ended) {
                requireNoFailure(ending.join());
                return trial(readings, setting)
                        .orElseThrow(() -> new IOException("the pipeline ended before its speed could be measured: use"
                                + " more samples or epochs"));
            }
            requireTimeLeft(System.nanoTime() - submittedNanos, limits);
        }
    }

    private void requireTimeLeft(long nanos, TrialLimits limits) throws IOException {
        if (cancelled.getAsBoolean()) {
            throw new IOException("the measurement was cancelled");
        }
        if (nanos >= limits.timeout().toNanos()) {
            throw new IOException("the pipeline trained on too few samples, or reported too few figures, in "
                    + new TimeSpan(limits.timeout())
                    + " to measure its speed");
        }
    }

    /** Returns the next reading; null when Flink has none yet. */
    private static @Nullable JobReading read(FlinkRest rest, JobID job, List<String> stages)
            throws InterruptedException {
        try {
            return rest.read(job.toString(), stages);
        } catch (IOException e) {
            // Flink does not list a job that has just been submitted or has just ended. A failure is part of the job's
            // result.
            LOG.debug("no reading of job {}", job, e);
            return null;
        }
    }

    /** Waits until the next reading is due, and returns whether the job has ended. */
    private static boolean ended(CompletableFuture<JobResult> ending) throws InterruptedException {
        try {
            ending.get(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("Flink did not report how the job ended", e);
        }
    }

    /** Throws the exception that made the job fail, if it failed. The first reason is among its causes. */
    private static void requireNoFailure(JobResult result) throws Exception {
        if (result.getJobStatus().orElse(null) == JobStatus.FAILED) {
            Throwable cause = result.getSerializedThrowable()
                    .map(thrown -> thrown.deserializeError(Trials.class.getClassLoader()))
                    .orElse(null);
            throw cause instanceof Exception exception ? exception : new IOException("the pipeline failed", cause);
        }
    }

    @Override
    public void close() {
        embedded.ifPresent(EmbeddedFlink::close);
    }

    /** Returns the result of a trial; empty when nothing was trained on between its readings. */
    private Optional<Trial> trial(TrialReadings readings, Setting setting) {
        return readings.measurement(setting).map(made -> {
            Measurement measurement = made.with(slowdown);
            Double observed = measurement.observed().samplesPerSecond();
            OptionalDouble steady = pauses(measurement) ? OptionalDouble.empty() : readings.steadySpeed();
            return new Trial(
                    steady.orElse(observed == null ? 0 : observed),
                    readings.spread().isPresent()
                            ? Double.valueOf(readings.spread().getAsDouble())
                            : null,
                    measurement,
                    busy(readings.latest().machines()));
        });
    }

    /**
     * Returns whether the trainer paused training from time to time. Then the median of short intervals means little,
     * because only some of them contain a pause.
     */
    private static boolean pauses(Measurement measurement) {
        return measurement.model().trainer().stages().stream()
                .filter(cost -> TrainerCosts.PAUSES.contains(cost.name()))
                .anyMatch(cost -> cost.ownSeconds() != null && cost.ownSeconds() > 0);
    }

    private static @Nullable Double busy(MachinesReading machines) {
        Integer cores = machines.cores();
        Double busy = machines.busyCores();
        return cores == null || busy == null ? null : Double.valueOf(Math.min(1, busy / cores));
    }
}
