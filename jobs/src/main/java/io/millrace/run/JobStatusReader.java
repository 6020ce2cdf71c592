package io.millrace.run;

import io.millrace.metrics.StageFigures;
import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.JobDescription;
import io.millrace.pipeline.SlotRequirement;
import io.millrace.report.RunResult;
import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.FlinkRest;
import io.millrace.rest.JobReading;
import io.millrace.rest.JobTasks;
import io.millrace.rest.ResourceWait;
import io.millrace.rest.StageReading;
import io.millrace.rest.TrainerReading;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reader of the status of a job on a cluster. It reads the metrics of a running job, or the report of a job that has
 * ended.
 *
 * <p>Tested by {@code SubmissionE2E}.
 */
public final class JobStatusReader {
    private static final Logger LOG = LoggerFactory.getLogger(JobStatusReader.class);

    /**
     * The largest number of requests for metrics. Flink collects metrics only after a request, so the first response
     * contains none.
     */
    private static final int TRIES = 8;

    private static final long TRY_MILLIS = 250;

    private final ClusterRest cluster;
    private final FlinkRest metrics;
    private final FlinkJobs jobs;

    public JobStatusReader(ClusterRest cluster, FlinkRest metrics, FlinkJobs jobs) {
        this.cluster = cluster;
        this.metrics = metrics;
        this.jobs = jobs;
    }

    /** What an ended job has reported: its trainers, and the stages by name. */
    private record Ended(@Nullable TrainReport report, Map<String, StageFigures> stages) {}

    /** Reads the current status of the job. */
    public JobStatusLine read(ClusterJob job) throws IOException, InterruptedException {
        JobTasks tasks = cluster.tasks(job.id());
        Optional<JobDescription> description = JobDescription.read(cluster.parameters(job.id()));
        List<String> stages = new ArrayList<>();
        description.ifPresent(ours -> {
            stages.addAll(ours.stages().keySet());
            stages.add("train");
        });
        JobReading reading = readings(job, tasks, stages);
        Ended ended = job.endedAtMillis() == null ? null : ended(job.id());
        TrainReport report = ended == null ? null : ended.report;
        TrainerReading trainer = reading.trainer();
        int restarts = cluster.restarts(job.id());
        return new JobStatusLine(
                job.id(),
                job.name(),
                tasks.state(),
                tasks.stateSinceMillis(),
                tasks.parallelism(),
                report != null ? Long.valueOf(report.pace().epochMillis().size()) : trainer.epoch(),
                report != null ? Long.valueOf(report.counters().steps()) : trainer.steps(),
                report != null ? rate(report) : rate(trainer),
                description.map(JobDescription::unit).orElse(SampleUnit.SAMPLES),
                restarts,
                cluster.lastSaved(job.id()).orElse(null),
                description.map(JobDescription::folder).orElse(null),
                description.flatMap(JobDescription::summary).orElse(null),
                waits(
                                tasks,
                                description
                                        .map(JobDescription::need)
                                        .orElseGet(() -> SlotRequirement.anywhere(tasks.parallelism())))
                        .orElse(null),
                stages(reading, ended, restarts));
    }

    private static List<StageReading> stages(JobReading reading, @Nullable Ended ended, int restarts) {
        List<StageReading> stages =
                ended == null ? reading.stages() : RunResult.finalStages(reading.stages(), ended.stages);
        return restarts == 0
                ? stages
                : stages.stream().map(StageReading::markedAtLeast).toList();
    }

    private Optional<String> waits(JobTasks tasks, SlotRequirement need) {
        if (!tasks.waitsForSlots() && !tasks.restarts()) {
            return Optional.empty();
        }
        try {
            return ResourceWait.sentence(tasks, need, cluster.taskManagers());
        } catch (IOException e) {
            LOG.info("the reason why the job waits could not be read", e);
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private JobReading readings(ClusterJob job, JobTasks tasks, List<String> stages)
            throws IOException, InterruptedException {
        JobReading reading = metrics.read(job.id(), stages);
        boolean runs = tasks.state().equals("RUNNING") && !tasks.waitsForSlots();
        for (int i = 0;
                i < TRIES && runs && !stages.isEmpty() && reading.trainer().steps() == null;
                i++) {
            TimeUnit.MILLISECONDS.sleep(TRY_MILLIS);
            reading = metrics.read(job.id(), stages).orElse(reading);
        }
        return reading;
    }

    private @Nullable Ended ended(String job) throws InterruptedException {
        try {
            JobResult result = jobs.result(JobID.fromHexString(job)).get();
            return new Ended(JobRun.reports(result).map(TrainReports::whole).orElse(null), JobRun.lastFigures(result));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            LOG.info("the result of job {} cannot be read", job, e);
            return null;
        }
    }

    private static @Nullable Double rate(TrainReport report) {
        long nanos = report.pace().trainNanos() + report.counters().times().evaluationNanos();
        return nanos == 0 ? null : Double.valueOf(report.counters().samples() * 1e9 / nanos);
    }

    /**
     * Returns the throughput. The trainer's time is the sum of the activities below, because its thread does nothing
     * else. The time in which a device waited for copies is part of both starvation and transfer, so it is subtracted
     * once.
     */
    private static @Nullable Double rate(TrainerReading trainer) {
        if (trainer.samples() == null || trainer.starvedMillis() == null || trainer.stepMillis() == null) {
            return null;
        }
        double millis = trainer.starvedMillis()
                + trainer.stepMillis()
                + Math.max(0, orZero(trainer.transferMillis()) - orZero(trainer.copyWaitMillis()))
                + orZero(trainer.evaluationMillis());
        return millis <= 0 ? null : Double.valueOf(trainer.samples() * 1e3 / millis);
    }

    private static double orZero(@Nullable Double value) {
        return value == null ? 0 : value;
    }
}
