package io.millrace.run;

import io.millrace.cluster.OpenPorts;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.diagnosis.Setting;
import io.millrace.generate.TimedProgress;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.JobJars;
import io.millrace.pipeline.ModelFiles;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.PipelineException;
import io.millrace.pipeline.RemoteFlink;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.pipeline.TravellingModules;
import io.millrace.pipeline.TypesFile;
import io.millrace.report.RunFolder;
import io.millrace.rest.ClusterRest;
import io.millrace.resume.ResumePoint;
import io.millrace.resume.ResumePoints;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.source.RunStart;
import io.millrace.trace.Recording;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.network.Models;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * The submission of a pipeline as a Flink job. The commands {@code train} and {@code scale} and Flink's own client all
 * use this class.
 *
 * <p>Every public method plans the run, chooses the parallelism that the pipeline file leaves open, assigns a folder to
 * the run, and builds the job. The methods differ in the cluster that runs the job and in the client that submits it.
 * Used by one thread.
 */
public final class Submission {
    private final RunRequest request;
    private final PrintStream text;
    private final Consumer<PreparedRun> announcement;

    /** The choice whether the client of a job on a cluster waits until the job ends. */
    public enum Client {
        ATTACHED,
        DETACHED
    }

    /** The plan of a run and the state that it continues from. */
    private record Planned(RunPlan plan, Optional<ResumePoint> resumed) {}

    /**
     * A job that was stopped with a savepoint, and the job that continues it.
     *
     * @param pause the measurement of the time without training, which began before the first job was stopped
     */
    record Replacement(SubmittedJob job, String savepoint, TrainingPause pause) {}

    /**
     * Creates a submission.
     *
     * @param text where progress is printed, such as generated data and the choice of parallelism
     * @param announcement receives the run when it has a folder, before it is submitted
     */
    public Submission(RunRequest request, PrintStream text, Consumer<PreparedRun> announcement) {
        this.request = request;
        this.text = text;
        this.announcement = announcement;
    }

    /**
     * Submits the job to a Flink in this process, which ends when the returned job is closed.
     *
     * @return empty when the user interrupted before training began
     */
    public Optional<SubmittedJob> here(Interrupt interrupt) throws Exception {
        PipelineConfig requested = request.config();
        FileSystems.initialize(requested.run().flink());
        ModelFiles.require(requested);
        KernelsInUse.description(); // rejects kernels that this machine lacks before any work is done
        FirstUse.makeData(requested, text);
        // Starting Flink, loading PyTorch and planning each take seconds. If the number of slots is known, they run at
        // the same time.
        boolean auto = requested.slots().auto().choosesAnything();
        Optional<FlinkStart> early = auto ? Optional.empty() : Optional.of(begin(requested));
        boolean feeds = requested.train().recipe().model().name().equals(Models.NONE);
        CompletableFuture<Void> engine = request.serving().isPresent() || feeds
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.runAsync(TrainingRuntime::preload);
        Planned planned;
        try {
            planned = plan();
        } catch (Exception e) {
            early.ifPresent(FlinkStart::abandon);
            throw e;
        }
        PipelineConfig config = auto ? new AutoStart(requested, loop(), interrupt, text).here() : requested;
        if (interrupt.isRequested()) {
            return Optional.empty();
        }
        EmbeddedFlink flink = early.orElseGet(() -> begin(config)).await();
        try {
            engine.join();
            PreparedRun run = inNewFolder(planned, config, flink.shownWeb());
            SinkSpec sink = sink(run, 1);
            interrupt.deferExit();
            JobID id = flink.jobs()
                    .submit(
                            run.attachedGraph(sink, request.branch(run)),
                            run.origin().restore());
            return Optional.of(new SubmittedJob(run, id, JobRun.Where.HERE, flink.jobs(), flink::close));
        } catch (Exception e) {
            flink.close();
            throw e;
        }
    }

    /**
     * Submits the job to a cluster. The job continues after the returned object is closed.
     *
     * @return empty when the user interrupted before training began
     */
    public Optional<SubmittedJob> on(ClusterAddress cluster, Client client, Interrupt interrupt) throws Exception {
        PipelineConfig requested = TravellingModules.in(request.config());
        FileSystems.initialize(requested.run().flink());
        ClusterRest rest = new ClusterRest(cluster.web());
        FlinkVersion.requireSame(rest.flinkVersion());
        OpenPorts.warning(rest.configuration()).ifPresent(sentence -> text.println("warning " + sentence));
        List<Path> jars = userJars();
        FirstUse.makeData(requested, text);
        Planned planned = plan();
        RemoteFlink flink = RemoteFlink.at(cluster, jars);
        try {
            PipelineConfig config = requested.slots().auto().choosesAnything()
                    ? new AutoStart(requested, loop(), interrupt, text).on(flink.jobs(), rest)
                    : OpenSlots.ofCluster(requested, rest, text);
            if (interrupt.isRequested()) {
                flink.close();
                return Optional.empty();
            }
            PreparedRun run = inNewFolder(planned, config, Optional.of(cluster.web()));
            SinkSpec sink = sink(run, rest.taskManagers().size());
            if (client == Client.ATTACHED) {
                interrupt.deferExit();
            }
            StreamGraph graph = client == Client.ATTACHED
                    ? run.attachedGraph(sink, request.branch(run))
                    : run.detachedGraph(sink, request.branch(run));
            if (client == Client.ATTACHED && request.serving().isPresent()) {
                return Optional.of(submitWithFrontDoor(
                        run, graph, rest, flink, request.serving().get()));
            }
            JobID id = flink.jobs().submit(graph, run.origin().restore());
            return Optional.of(new SubmittedJob(run, id, JobRun.Where.ELSEWHERE, flink.jobs(), flink::close));
        } catch (Exception e) {
            flink.close();
            throw e;
        }
    }

    /** Submits a job whose clients connect to this process. The job ends with this process. */
    private static SubmittedJob submitWithFrontDoor(
            PreparedRun run, StreamGraph graph, ClusterRest rest, RemoteFlink flink, Serving serving) throws Exception {
        Map<String, String> settings = run.config().run().flink();
        JobID id = flink.jobs().submit(graph, Heartbeat.timeout(settings));
        Heartbeat heartbeat = new Heartbeat(rest, flink.jobs(), id, settings);
        serving.follow(rest, id.toString());
        return new SubmittedJob(run, id, JobRun.Where.ELSEWHERE, flink.jobs(), () -> {
            heartbeat.close();
            flink.close();
        });
    }

    /**
     * Builds the job for Flink's own client, which submits it and may restore it from a savepoint. Such a client can
     * start only one job, so the parallelism is not measured.
     *
     * @param flink the configuration of the client's environment
     */
    public StreamGraph graph(ReadableConfig flink) throws Exception {
        PipelineConfig requested = TravellingModules.in(request.config());
        initializeOwnStorage(requested);
        PipelineConfig config = ClientCluster.withFreeSlots(requested, flink, text);
        if (config.slots().auto().choosesAnything()) {
            text.println(
                    "auto    " + AutoStart.unmeasuredLine(config, "Flink's own ways of submission start only one job"));
        }
        SavepointRestoreSettings restored = SavepointRestoreSettings.fromConfiguration(flink);
        Planned planned = restored.restoreSavepoint()
                ? plan(Optional.empty(), Optional.of(ResumePoints.folder(restored.getRestorePath())))
                : plan();
        PreparedRun run = inNewFolder(planned, config, Optional.empty());
        StreamGraph graph = run.detachedGraph(sink(run, 1), Optional.empty());
        graph.setSavepointRestoreSettings(restored);
        return graph;
    }

    /**
     * Stops a job of a cluster with a savepoint and submits a job that continues it, in the same folder. All work that
     * can fail or takes long is done before the first job is stopped.
     */
    Replacement replace(RunningJob running, ClusterAddress cluster, ClusterRest rest) throws Exception {
        PipelineConfig config = TravellingModules.in(request.config());
        initializeOwnStorage(config);
        List<Path> jars = userJars();
        RunFolder folder = RunFolder.at(Path.of(running.description().folder()));
        Planned planned = plan(Optional.empty(), Optional.of(folder.path().toString()));
        RemoteFlink flink = RemoteFlink.at(cluster, jars);
        try {
            TrainingPause pause = TrainingPause.begin(rest, running.job().id());
            String savepoint = running.save(flink.jobs(), config);
            PreparedRun run = new PreparedRun(
                    config,
                    planned.plan(),
                    folder,
                    Optional.of(cluster.web()),
                    Optional.empty(),
                    new Origin(Optional.of(savepoint), 0, RunStart.OtherRuns.REFUSED),
                    request.summary(),
                    request.startedAtMillis(),
                    loop());
            JobID id = flink.jobs()
                    .submit(
                            run.detachedGraph(sink(run, 1), Optional.empty()),
                            run.origin().restore());
            SubmittedJob next = new SubmittedJob(run, id, JobRun.Where.ELSEWHERE, flink.jobs(), flink::close);
            return new Replacement(next, savepoint, pause);
        } catch (Exception e) {
            flink.close();
            throw e;
        }
    }

    private Planned plan() throws IOException, PipelineException {
        Optional<ResumePoint> resumed = request.resume().find(request.config());
        return plan(resumed, resumed.map(point -> point.identity().folder()));
    }

    /**
     * Plans the run with the types that an earlier run settled.
     *
     * @param earlier the folder of the earlier run, or an empty text when it is not known
     */
    private Planned plan(Optional<ResumePoint> resumed, Optional<String> earlier)
            throws IOException, PipelineException {
        Optional<SettledTypes> types = earlier.isEmpty() || earlier.get().isEmpty()
                ? Optional.empty()
                : TypesFile.read(Path.of(earlier.get()));
        RunPlan planned = RunPlanner.plan(
                request.config(),
                types,
                new TimedProgress("counting tokens", "documents", text::println, System::nanoTime));
        RunPlan plan = request.serving().isPresent() ? planned.ofClients() : planned;
        if (request.serving().isPresent()) {
            request.serving().get().requireDeliverable(request.config(), plan);
        } else {
            plan.requireRoom(request.config().batch().size());
        }
        if (request.evaluation().isPresent()) {
            request.evaluation().get().plan(text);
        }
        resumed.ifPresent(point -> request.resume().require(point, request.config(), plan));
        return new Planned(plan, resumed);
    }

    private PreparedRun inNewFolder(Planned planned, PipelineConfig config, Optional<URI> web) throws IOException {
        PreparedRun run = new PreparedRun(
                config,
                planned.plan(),
                newFolder(config, planned.plan()),
                web,
                planned.resumed(),
                request.resume().origin(planned.resumed()),
                request.summary(),
                request.startedAtMillis(),
                loop());
        announcement.accept(run);
        return run;
    }

    /** Makes the folder of a new run, with the types that the plan has settled. */
    private static RunFolder newFolder(PipelineConfig config, RunPlan plan) throws IOException {
        RunFolder folder = RunFolder.fresh(config.run().folder(), LocalDateTime.now(ZoneId.systemDefault()));
        if (!plan.types().equals(SettledTypes.NONE)) {
            folder.write(TypesFile.NAME, TypesFile.content(plan.types()));
        }
        return folder;
    }

    private FlinkStart begin(PipelineConfig config) {
        return FlinkStart.begin(config, request.evaluation().map(ServedEvaluation::config));
    }

    private Setting.Loop loop() {
        return request.serving().isPresent() ? Setting.Loop.CLIENTS : Setting.Loop.JOB;
    }

    /** Returns the description of the training operator, with the state that it starts from and the trace that it records. */
    private SinkSpec sink(PreparedRun run, int processes) throws IOException {
        SinkSpec fresh = Sinks.of(run.config(), run.plan(), run.folder().path());
        if (request.serving().isPresent()) {
            fresh = request.serving().get().of(run, fresh);
        }
        return observed(run, fresh, processes);
    }

    private SinkSpec observed(PreparedRun run, SinkSpec fresh, int processes) {
        SinkSpec sink = run.resumed()
                .filter(point -> point.kind() == ResumePoint.Kind.FINAL_STATE)
                .map(point -> fresh.startingFrom(point.path()))
                .orElse(fresh);
        return request.tracing() == RunRequest.Tracing.ON
                ? sink.recorded(Recording.begin(Path.of(sink.run().folder()), processes))
                : sink;
    }

    private static List<Path> userJars() throws PipelineException {
        return JobJars.find(System.getenv().getOrDefault(JobJars.VARIABLE, ""));
    }

    /**
     * Initializes the file systems that the pipeline configures. If it configures none, the file systems of the Flink
     * client remain in use.
     */
    private static void initializeOwnStorage(PipelineConfig config) throws IOException {
        if (!config.run().flink().isEmpty()) {
            FileSystems.initialize(config.run().flink());
        }
    }
}
