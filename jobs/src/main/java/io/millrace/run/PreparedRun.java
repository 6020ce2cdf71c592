package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Setting;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.EvaluationBranch;
import io.millrace.pipeline.JobDescription;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.PositionSettings;
import io.millrace.pipeline.RunPlan;
import io.millrace.report.RunFolder;
import io.millrace.report.html.UnwatchedRun;
import io.millrace.resume.FinalState;
import io.millrace.resume.RecordedPipeline;
import io.millrace.resume.ResumePoint;
import io.millrace.sink.spec.SinkSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * A run that is ready to be submitted.
 *
 * @param config the pipeline with its final parallelism
 * @param folder the run's folder
 * @param web the address of Flink's web UI; empty when Flink's own client submits the job, or there is no web UI
 * @param resumed the state that the run continues from; empty for a new run
 * @param origin the same state in the form that the job needs
 * @param summary the requested file for the summary; empty for the default in the run's folder
 * @param loop the owner of the training loop
 */
public record PreparedRun(
        PipelineConfig config,
        RunPlan plan,
        RunFolder folder,
        Optional<URI> web,
        Optional<ResumePoint> resumed,
        Origin origin,
        Optional<Path> summary,
        long startedAtMillis,
        Setting.Loop loop) {

    /** Returns the properties of the job that its measurements do not contain. */
    Setting setting() {
        return Setting.of(config, plan).with(loop);
    }

    /** Returns whether the job delivers its batches to clients. */
    boolean isServed() {
        return loop == Setting.Loop.CLIENTS;
    }

    /** Returns the absolute path of the file for the summary. */
    public Path summaryFile() {
        return summary.orElse(folder.file(RunFolder.SUMMARY)).toAbsolutePath();
    }

    /** Builds the graph of a job whose client waits for the end and writes the summary. */
    StreamGraph attachedGraph(SinkSpec sink, Optional<EvaluationBranch> evaluation) throws IOException {
        return graph(sink, evaluation, Optional.empty());
    }

    /** Builds the graph of a job that writes its summary and its report itself. */
    StreamGraph detachedGraph(SinkSpec sink, Optional<EvaluationBranch> evaluation) throws IOException {
        Path file = summaryFile();
        UnwatchedRun reports = UnwatchedRun.of(config, plan, folder.path(), file, startedAtMillis);
        return graph(sink.reportingTo(isServed() ? reports.ofClients(config) : reports), evaluation, Optional.of(file));
    }

    private StreamGraph graph(SinkSpec sink, Optional<EvaluationBranch> evaluation, Optional<Path> written)
            throws IOException {
        if (config.recovery().checkpoint().isPresent()
                && Checkpointing.location(config.recovery(), folder.path()).isEmpty()) {
            throw new IOException("Flink cannot write checkpoints to a folder whose path has a backslash, such as "
                    + folder.path().toAbsolutePath()
                    + ": set checkpoint.path or run.folder to another folder, or checkpoint: off");
        }
        JobDescription.Consumer consumer =
                isServed() ? JobDescription.Consumer.CLIENTS : JobDescription.Consumer.TRAINERS;
        FinalState.identify(folder.path(), PositionSettings.of(config, plan, folder.path()), consumer);
        folder.write(RecordedPipeline.NAME, RecordedPipeline.content(config));
        StreamGraph graph = evaluation
                .map(branch -> Pipeline.graph(config, plan, sink, origin, branch))
                .orElseGet(() -> Pipeline.graph(config, plan, sink, origin));
        JobDescription.of(
                        config,
                        sink.run().folder(),
                        written.map(Path::toString),
                        plan.unit(),
                        plan.packFill(),
                        consumer)
                .attachTo(graph);
        return graph;
    }
}
