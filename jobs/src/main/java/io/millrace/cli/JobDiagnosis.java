package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.LiveVerdict;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Setting;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.report.StageTable;
import io.millrace.report.Terminal;
import io.millrace.report.VerdictSummary;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.FlinkRest;
import io.millrace.rest.JobReading;
import io.millrace.rest.JobWatch;
import io.millrace.run.ExitCode;
import io.millrace.run.RunSummaryPrinter.Detail;
import io.millrace.run.RunningJob;
import io.millrace.run.UsageException;
import io.millrace.sample.SampleUnit;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The diagnosis of a running job from its metrics, for {@code diagnose --job}. The job is not changed. */
final class JobDiagnosis {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final double MILLIS_PER_SECOND = 1e3;

    /** Flink's names for the states of a job that does not continue. */
    private static final Set<String> ENDED = Set.of("FINISHED", "FAILED", "CANCELED", "SUSPENDED");

    private final ClusterAddress address;
    private final Detail detail;
    private final Output output;

    JobDiagnosis(ClusterAddress address, Detail detail, Output output) {
        this.address = address;
        this.detail = detail;
        this.output = output;
    }

    /**
     * Watches the job and prints its verdict.
     *
     * @param text the job's id, the beginning of the id, or the job's name
     * @param seconds the time to watch; rates are means over this time
     * @throws UsageException when there is no such job, it has ended, or it is not a Millrace job
     * @throws IOException when the job ends or trains on nothing while it is watched, or when Flink does not respond
     */
    int run(String text, double seconds) throws Exception {
        ClusterRest cluster = new ClusterRest(address.web());
        RunningJob job = RunningJob.of(cluster, text);
        String id = job.job().id();
        PipelineConfig config = job.pipeline(List.of());
        List<String> stages = new ArrayList<>(job.description().stages().keySet());
        stages.add("train");
        Setting setting = Setting.of(config)
                .with(job.description().unit())
                .with(job.description().packs().orElse(null));
        Watcher watcher = new Watcher(id, setting, seconds);
        output.text().printf("watching %s for %.0f s%n", job.job().name(), seconds);
        JobWatch watch = JobWatch.start(new FlinkRest(address.web()), id, stages, INTERVAL, watcher::read);
        try (watch) {
            print(watcher.measurement.get((long) (4 * seconds) + 30, TimeUnit.SECONDS), setting.unit(), watch.latest());
            return ExitCode.OK;
        } catch (ExecutionException e) {
            throw new IOException(
                    e.getCause() == null ? e.toString() : e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            cluster.tasks(id); // throws if Flink does not respond
            throw new IOException(
                    "job " + id + " trained on nothing while it was watched: ./millrace status shows its state", e);
        }
    }

    /** The watch that completes with a measurement when its time is over. Only the watching thread calls it. */
    private static final class Watcher {
        private final String job;
        private final LiveVerdict live;
        private final double seconds;
        private final CompletableFuture<Measurement> measurement = new CompletableFuture<>();
        private double begunMillis = Double.NaN;

        Watcher(String job, Setting setting, double seconds) {
            this.job = job;
            this.live = new LiveVerdict(setting);
            this.seconds = seconds;
        }

        void read(JobReading reading) {
            if (ENDED.contains(reading.state())) {
                measurement.completeExceptionally(new IOException(String.format(
                        Locale.ROOT,
                        "job %s ended before it was watched for %.0f s: its state is %s",
                        job,
                        seconds,
                        reading.state())));
                return;
            }
            Optional<Measurement> measured = live.next(reading);
            Double clock = reading.trainer().clockMillis();
            if (clock == null) {
                return;
            }
            begunMillis = Double.isNaN(begunMillis) ? clock : begunMillis;
            if (measured.isPresent() && clock - begunMillis >= MILLIS_PER_SECOND * seconds) {
                measurement.complete(measured.get());
            }
        }
    }

    private void print(Measurement measured, SampleUnit unit, JobReading latest) {
        PrintStream text = output.text();
        VerdictSummary verdict = measured.summary(null);
        text.println();
        text.print(StageTable.render(latest.stages(), Terminal.textColumns(), verdict.limit()));
        unit.readNote().ifPresent(text::println);
        text.println();
        if (detail == Detail.VERBOSE) {
            text.println(verdict.line());
            verdict.contradictions().forEach(text::println);
        }
        text.println("verdict " + verdict.sentence());
        verdict.packsLines().forEach(text::println);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("verdict", verdict);
        result.put("ceiling_images_per_s", verdict.ceilingImagesPerSecond());
        result.put("stages", latest.stages());
        output.result(result);
    }
}
