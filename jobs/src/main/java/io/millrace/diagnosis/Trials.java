package io.millrace.diagnosis;

import io.millrace.batch.Filling;
import io.millrace.config.PipelineConfig;
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
import io.millrace.sink.SinkSpec;
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
 * Runs pipelines on a Flink, one after another, each until its speed is steady. The very job that would train is run, and
 * cancelled; what it writes goes to a folder of the caller's. For one thread.
 */
public final class Trials implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Trials.class);

    /** Readings come this often; Flink gathers metrics as often. */
    private static final Duration INTERVAL = Duration.ofMillis(250);

    private static final double STRETCH_SECONDS = 0.75;

    private final FlinkJobs jobs;
    private final Path folder;
    private final BooleanSupplier brokenOff;
    private final Optional<EmbeddedFlink> ours;
    private int number;

    private Trials(FlinkJobs jobs, Path folder, BooleanSupplier brokenOff, Optional<EmbeddedFlink> ours) {
        this.jobs = jobs;
        this.folder = folder;
        this.brokenOff = brokenOff;
        this.ours = ours;
    }

    /** As below, never broken off. */
    public static Trials start(int slots, Path folder) throws Exception {
        return start(slots, folder, () -> false);
    }

    /**
     * Starts a Flink in this process, which ends with these trials.
     *
     * @param slots of the largest pipeline that will be tried
     * @param folder that exists and may be written to
     * @param brokenOff asked again and again: whether the trial is not wanted any more
     */
    public static Trials start(int slots, Path folder, BooleanSupplier brokenOff) throws Exception {
        Configuration more = new Configuration();
        more.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, INTERVAL);
        EmbeddedFlink flink = EmbeddedFlink.start(slots, "0", more);
        return new Trials(flink.jobs(), folder, brokenOff, Optional.of(flink));
    }

    /** As above on a Flink of the caller's, whose metrics may come less often; a trial takes longer then. */
    public static Trials on(FlinkJobs jobs, Path folder, BooleanSupplier brokenOff) {
        return new Trials(jobs, folder, brokenOff, Optional.empty());
    }

    /**
     * Runs a pipeline.
     *
     * @param config whose training should last at least as long as the patience; a shorter one is measured to its end
     * @throws IOException with a sentence, when it ends before anything could be measured, or is broken off
     * @throws Exception why it failed
     */
    public Trial run(PipelineConfig config, Patience patience) throws Exception {
        return run(config, Filling.EVERY_ROW, patience);
    }

    /** The same where rows are packed as {@code filling} says. */
    public Trial run(PipelineConfig config, Filling filling, Patience patience) throws Exception {
        return run(config, RunPlanner.plan(config), filling, patience);
    }

    /** The same where the data has been looked at. */
    public Trial run(PipelineConfig config, RunPlan plan, Filling filling, Patience patience) throws Exception {
        Path run = Files.createDirectories(folder.resolve("trial-" + number++));
        SinkSpec sink = Sinks.of(config, plan, run);
        JobID job = jobs.submit(Pipeline.graph(config, plan, sink, Origin.FRESH, filling), patience.giveUp());
        CompletableFuture<JobResult> ending = jobs.result(job);
        try {
            return watch(config, plan, job, ending, patience);
        } finally {
            if (!ending.isDone()) {
                jobs.cancel(job);
            }
            ending.get();
        }
    }

    private Trial watch(
            PipelineConfig config, RunPlan plan, JobID job, CompletableFuture<JobResult> ending, Patience patience)
            throws Exception {
        FlinkRest rest = new FlinkRest(jobs.web());
        List<String> stages = new ArrayList<>(Pipeline.stages(config).keySet());
        stages.add(CapacityModel.STEP);
        Setting setting = Setting.of(config, plan);
        SteadySpeed speed = new SteadySpeed(STRETCH_SECONDS);
        JobReading first = null;
        JobReading latest = null;
        long submittedNanos = System.nanoTime();
        long begunNanos = 0;
        while (true) {
            boolean ended = ended(ending);
            JobReading reading = ended ? null : read(rest, job, stages);
            Double clock = reading == null ? null : reading.trainer().clockMillis();
            Long samples = reading == null ? null : reading.trainer().samples();
            if (reading != null && clock != null && samples != null && samples > 0) {
                // By our own clock: the trainer's stands while nothing arrives.
                begunNanos = begunNanos == 0 ? System.nanoTime() : begunNanos;
                long nanos = System.nanoTime() - begunNanos;
                if (nanos >= patience.warmUp().toNanos()) {
                    first = first == null ? reading : first;
                    latest = reading;
                    speed.add(clock / 1e3, samples);
                }
                boolean steady = speed.spread().orElse(Double.MAX_VALUE) <= patience.spread();
                Optional<Trial> trial = steady || nanos >= patience.most().toNanos()
                        ? trial(first, latest, speed, setting)
                        : Optional.empty();
                if (trial.isPresent()) {
                    return trial.get();
                }
            }
            if (ended) {
                requireNoFailure(ending.join());
                return trial(first, latest, speed, setting)
                        .orElseThrow(
                                () -> new IOException("the pipeline ended before its speed could be measured: give it"
                                        + " more samples or epochs"));
            }
            requireGoOn(System.nanoTime() - submittedNanos, patience);
        }
    }

    private void requireGoOn(long nanos, Patience patience) throws IOException {
        if (brokenOff.getAsBoolean()) {
            throw new IOException("the measurement was broken off");
        }
        if (nanos >= patience.giveUp().toNanos()) {
            throw new IOException("the pipeline trained on too little within " + new TimeSpan(patience.giveUp())
                    + " for its speed to be measured");
        }
    }

    /** The next reading; null when Flink has none yet. */
    private static @Nullable JobReading read(FlinkRest rest, JobID job, List<String> stages)
            throws InterruptedException {
        try {
            return rest.read(job.toString(), stages);
        } catch (IOException e) {
            // A job that has just been submitted, or has just ended, is not there; if it failed, its result says so.
            LOG.debug("no reading of job {}", job, e);
            return null;
        }
    }

    /** Waits for the time of a reading. */
    private static boolean ended(CompletableFuture<JobResult> ending) throws InterruptedException {
        try {
            ending.get(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("Flink does not tell how a job ended", e);
        }
    }

    /** What Flink tells of a failure has the reason somewhere in its causes. */
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
        ours.ifPresent(EmbeddedFlink::close);
    }

    /** Empty as long as nothing was trained on between the two. */
    private static Optional<Trial> trial(
            @Nullable JobReading first, @Nullable JobReading latest, SteadySpeed speed, Setting setting) {
        if (first == null || latest == null) {
            return Optional.empty();
        }
        Double busy = busy(latest.machines());
        return Measurement.of(first, latest, setting).map(measurement -> {
            Double observed = measurement.observed().samplesPerSecond();
            OptionalDouble median = pauses(measurement) ? OptionalDouble.empty() : speed.samplesPerSecond();
            return new Trial(
                    median.orElse(observed == null ? 0 : observed),
                    speed.spread().isPresent() ? Double.valueOf(speed.spread().getAsDouble()) : null,
                    measurement,
                    busy);
        });
    }

    /** Whether the trainer did something beside training now and then: short stretches with and without it have no median. */
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
