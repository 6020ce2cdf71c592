package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.LiveVerdict;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Setting;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.report.RunSummary;
import io.millrace.report.StageTable;
import io.millrace.report.Terminal;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.FlinkRest;
import io.millrace.rest.JobReading;
import io.millrace.rest.JobWatch;
import io.millrace.run.ExitCode;
import io.millrace.run.SavedJob;
import io.millrace.run.UsageException;
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

/** {@code diagnose --job}: what limits a job that runs, as its metrics tell; the job is not touched. */
final class JobDiagnosis {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final double MILLIS_PER_SECOND = 1e3;

    /** Flink's words for a job that does not go on. */
    private static final Set<String> ENDED = Set.of("FINISHED", "FAILED", "CANCELED", "SUSPENDED");

    private final ClusterAddress address;
    private final Output output;

    JobDiagnosis(ClusterAddress address, Output output) {
        this.address = address;
        this.output = output;
    }

    /**
     * Watches the job and judges.
     *
     * @param text its id, or the beginning of it, or its name
     * @param seconds to watch; the rates are of this time
     * @throws UsageException when there is no such job, it has ended, or is not ours
     * @throws IOException when it ended meanwhile, trained on nothing, or Flink does not answer any more
     */
    int run(String text, double seconds) throws Exception {
        ClusterRest cluster = new ClusterRest(address.web());
        SavedJob job = SavedJob.of(cluster, text);
        String id = job.job().id();
        PipelineConfig config = job.pipeline(List.of());
        List<String> stages = new ArrayList<>(job.description().stages().keySet());
        stages.add("train");
        Watcher watcher = new Watcher(id, Setting.of(config), seconds);
        output.text().printf("watching %s for %.0f s%n", job.job().name(), seconds);
        JobWatch watch = JobWatch.start(new FlinkRest(address.web()), id, stages, INTERVAL, watcher::look);
        try (watch) {
            tell(watcher.judged.get((long) (4 * seconds) + 30, TimeUnit.SECONDS), watch.latest());
            return ExitCode.OK;
        } catch (ExecutionException e) {
            throw new IOException(
                    e.getCause() == null ? e.toString() : e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            cluster.tasks(id); // says so itself when Flink is not there any more
            throw new IOException(
                    "job " + id + " trained on nothing in the meantime: ./millrace status tells how it is", e);
        }
    }

    /** Judges when the time is over. Called by the watching thread alone. */
    private static final class Watcher {
        private final String job;
        private final LiveVerdict live;
        private final double seconds;
        private final CompletableFuture<Measurement> judged = new CompletableFuture<>();
        private double begunMillis = Double.NaN;

        Watcher(String job, Setting setting, double seconds) {
            this.job = job;
            this.live = new LiveVerdict(setting);
            this.seconds = seconds;
        }

        void look(JobReading reading) {
            if (ENDED.contains(reading.state())) {
                judged.completeExceptionally(new IOException(String.format(
                        Locale.ROOT,
                        "job %s ended before it was watched for %.0f s: it is %s",
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
                judged.complete(measured.get());
            }
        }
    }

    private void tell(Measurement measured, JobReading latest) {
        PrintStream text = output.text();
        RunSummary.Verdict verdict = measured.summary();
        text.println();
        text.print(StageTable.render(latest.stages(), Terminal.textColumns(), verdict.limit()));
        text.println();
        text.println(verdict.line());
        verdict.contradictions().forEach(text::println);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("verdict", verdict);
        result.put("ceiling_images_per_s", verdict.ceilingImagesPerSecond());
        result.put("stages", latest.stages());
        output.result(result);
    }
}
