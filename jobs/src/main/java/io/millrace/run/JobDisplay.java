package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.TrainersConfig;
import io.millrace.diagnosis.LiveVerdict;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.auto.LiveChoice;
import io.millrace.order.BatchPlan;
import io.millrace.order.SourceShares;
import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.SlotRequirement;
import io.millrace.report.EpochLines;
import io.millrace.report.ProgressMeter;
import io.millrace.report.ProgressReading;
import io.millrace.report.ProgressView;
import io.millrace.report.Terminal;
import io.millrace.report.TerminalOutput;
import io.millrace.report.html.ReadingLog;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.FlinkRest;
import io.millrace.rest.JobReading;
import io.millrace.rest.JobWatch;
import io.millrace.rest.WatchInterval;
import io.millrace.run.JobRun.Verdicts;
import io.millrace.run.JobRun.Where;
import io.millrace.sink.figures.TrainReports;
import java.io.OutputStreamWriter;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.jspecify.annotations.Nullable;

/**
 * What a client shows of a job while it runs: progress, a line for each epoch, the verdict, and what the job waits for. It also
 * rescales a job whose parallelism was left open. It reads the job on a thread of its own until it is closed.
 *
 * <p>Tested by {@code SubmissionE2E}.
 */
final class JobDisplay implements AutoCloseable {
    /**
     * The interval between readings for a bar in a terminal. Each reading costs Flink and this process about 30 ms of
     * CPU time, so plain lines, which are printed less often, have a longer interval.
     */
    private static final Duration BAR_INTERVAL = Duration.ofSeconds(1);

    private static final Duration LINE_INTERVAL = Duration.ofSeconds(3);

    /** The longest interval while the clients of a served run do no step. */
    private static final Duration STALLED_INTERVAL = Duration.ofMinutes(1);

    private final PreparedRun run;
    private final Setting setting;
    private final FlinkJobs jobs;
    private final Where where;
    private final Verdicts verdicts;
    private final ProgressView view;
    private final EpochLines lines;
    private final LiveVerdict live;
    private final ReadingLog course = new ReadingLog();
    private final Optional<LiveRescale> rescale;
    private final Optional<DevicePrinter> device;
    private final JobWatch watch;

    /** Begins to read a job. */
    JobDisplay(JobID job, PreparedRun run, FlinkJobs jobs, Where where, Verdicts verdicts) {
        this.run = run;
        this.setting = run.setting();
        this.jobs = jobs;
        this.where = where;
        this.verdicts = verdicts;
        this.view = new ProgressView(
                new OutputStreamWriter(TerminalOutput.rawErr(), Charset.defaultCharset()),
                Terminal.current(),
                System::nanoTime);
        this.lines = new EpochLines(
                epochs(),
                setting.unit(),
                run.resumed().isPresent() || run.isServed(), // the clients of a served run begin where they want
                this::sharesOf,
                view::message);
        this.live = new LiveVerdict(setting);
        this.rescale = rescale(job);
        this.device = where == Where.ELSEWHERE && !run.isServed()
                ? Optional.of(new DevicePrinter(new ClusterRest(jobs.web()), job.toString(), view::message))
                : Optional.empty();
        this.watch = watch(job);
    }

    /** Returns the last known value of everything. */
    JobReading latest() {
        return watch.latest();
    }

    /** Returns the readings so far. */
    ReadingLog course() {
        return course;
    }

    /** Returns the description of the trainers' device as this has shown it; empty when it was not shown. */
    Optional<String> shownDevice() {
        return device.flatMap(DevicePrinter::printed);
    }

    /** Returns the measurement since the warm-up; empty for a run that ended before. */
    Optional<Measurement> measured() {
        return live.whole();
    }

    /** Returns the pipeline with the parallelism that the job has now. */
    PipelineConfig config() {
        return rescale.map(LiveRescale::currentConfig).orElse(run.config());
    }

    /**
     * Ends the readings, and shows the epochs that no reading has seen.
     *
     * @param finished whether training has finished its last epoch
     * @param reports the reports of the trainers; empty when no trainer has begun
     */
    void ended(boolean finished, Optional<TrainReports> reports) {
        watch.close();
        if (finished) {
            view.completed();
        }
        reports.ifPresent(ended -> lines.show(ended.whole().epochs().ofThisJob()));
    }

    @Override
    public void close() {
        watch.close();
        view.close();
    }

    /**
     * Returns a rescaler for a job whose parallelism was left open and that continues where it was: from a checkpoint, or from
     * the steps that its clients ask for. A Flink in this process cannot provide more slots.
     */
    private Optional<LiveRescale> rescale(JobID job) {
        PipelineConfig config = run.config();
        boolean open = config.slots().auto().choosesAnything()
                && where == Where.ELSEWHERE
                && (run.isServed() || config.recovery().checkpoint().isPresent());
        return open
                ? Optional.of(new LiveRescale(
                        new ClusterRest(jobs.web()), job.toString(), new LiveChoice(config, setting), view::message))
                : Optional.empty();
    }

    private JobWatch watch(JobID job) {
        PipelineConfig config = run.config();
        ProgressMeter meter = new ProgressMeter(
                run.plan().batches().trainSamples()
                        * (config.train().trainers().share() == TrainersConfig.Share.ALL
                                ? config.train().trainers().ranks()
                                : 1),
                epochs(),
                setting.unit());
        List<String> stages = new ArrayList<>(Pipeline.stages(config).keySet());
        stages.add("train");
        ResourceWaitPrinter waits = new ResourceWaitPrinter(
                new ClusterRest(jobs.web()),
                job.toString(),
                SlotRequirement.of(config),
                view::message,
                System::nanoTime);
        return JobWatch.start(new FlinkRest(jobs.web()), job.toString(), stages, interval(), reading -> {
            course.add(reading);
            Optional<Measurement> measured = live.next(reading);
            lines.show(reading.trainer().epochs());
            Long steps = reading.trainer().steps();
            ProgressReading progress = meter.next(reading, System.nanoTime())
                    .with(run.plan().shares().before(steps == null ? 0 : steps));
            view.show(
                    verdicts == Verdicts.SHOWN
                            ? progress.limitedBy(measured.flatMap(Measurement::certainSentence)
                                    .orElse(null))
                            : progress);
            waits.check(reading);
            device.ifPresent(DevicePrinter::check);
            measured.ifPresent(m -> rescale.ifPresent(r -> r.check(m, reading)));
        });
    }

    /** Returns the shares of the datasets of a mixture in an epoch. */
    private List<SourceShares.Share> sharesOf(int epoch) {
        long steps = run.plan().batches().stepsPerEpoch();
        return run.plan().shares().between(epoch * steps, (epoch + 1) * steps);
    }

    /** Returns the number of epochs; null when training has no end. */
    private @Nullable Long epochs() {
        int epochs = run.plan().batches().epochs();
        return epochs == BatchPlan.ENDLESS ? null : Long.valueOf(epochs);
    }

    /** Returns the time between readings. It grows while the clients of a served run do no step. */
    private WatchInterval interval() {
        Duration shown = Terminal.current().isPresent() ? BAR_INTERVAL : LINE_INTERVAL;
        return new WatchInterval(shown, run.isServed() ? STALLED_INTERVAL : shown);
    }
}
