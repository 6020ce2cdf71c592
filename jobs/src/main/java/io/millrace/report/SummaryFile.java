package io.millrace.report;

import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacedTransforms;
import io.millrace.config.SlotsConfig;
import io.millrace.file.WholeFiles;
import io.millrace.image.ImageKernels;
import io.millrace.order.SourceShares;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.WireColumn;
import io.millrace.report.RunSummary.Status;
import io.millrace.rest.StageReading;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.progress.QuarantineFiles;
import io.millrace.sink.progress.RankReportFiles;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The file with the summary of a run that the job writes itself, because no client waits for the end. Values that are
 * unknown in the job are null: the figures of the stages on the data servers, which are in other processes, and the
 * reason of a failure outside the trainers.
 *
 * <p>With several trainers, the trainer that ends last writes the summary, and so does a trainer that fails. Trainers
 * see each other's reports when they share the run's folder. Otherwise each trainer writes a summary with its own
 * figures on its own machine.
 *
 * @param path the path of the file, on the machine that trains
 * @param run the path of the run's folder
 * @param trainers the number of trainers
 * @param device the configured {@code device.kind}, which is the device in the summary when no trainer reports one
 * @param name the name of the pipeline
 * @param parallelism the number of slots of the data stages; null when the job uses the slots that exist
 * @param stages the parallelism of each stage on the data servers
 * @param startedAtMillis the wall-clock time at which the run was requested, in milliseconds since 1970
 * @param columns the wire columns, each with the reason for its form
 * @param unit the word for the samples in throughputs
 * @param places the places of the transforms for which the pipeline file sets one
 * @param shares the parts of the run that the datasets of a mixture have
 */
public record SummaryFile(
        String path,
        String run,
        int trainers,
        String device,
        String name,
        @Nullable Integer parallelism,
        Map<String, Integer> stages,
        long startedAtMillis,
        List<WireColumn> columns,
        SampleUnit unit,
        List<PlacedTransforms.PlaceDecision> places,
        SourceShares shares)
        implements Serializable {
    /**
     * A written summary.
     *
     * @param summary the content of the file
     * @param reports the trainers' reports that it contains
     * @param writer the name of the trainer that wrote it; several trainers may write at the same time
     */
    public record Written(RunSummary summary, TrainReports reports, String writer) {}

    public SummaryFile {
        stages = new LinkedHashMap<>(stages);
        columns = List.copyOf(columns);
        places = List.copyOf(places);
    }

    /** Returns the summary file of a run. */
    public static SummaryFile of(PipelineConfig config, RunPlan plan, Path run, Path file, long startedAtMillis) {
        return new SummaryFile(
                file.toAbsolutePath().toString(),
                run.toAbsolutePath().toString(),
                config.train().trainers().ranks(),
                RunSummary.Setup.configuredDevice(config),
                config.name(),
                config.slots().meaning() == SlotsConfig.Meaning.MOST
                        ? null
                        : Integer.valueOf(config.slots().parallelism()),
                Pipeline.stages(config),
                startedAtMillis,
                plan.columns(),
                plan.unit(),
                config.device().placed().decisions(),
                plan.shares());
    }

    /** Returns the file of the same run, whose batches go to clients. */
    public SummaryFile ofClients() {
        return new SummaryFile(
                path,
                run,
                trainers,
                RunSummary.Setup.CLIENT,
                name,
                parallelism,
                stages,
                startedAtMillis,
                columns,
                unit,
                places,
                shares);
    }

    /**
     * Writes the file, if it is due, when the training of a trainer has ended.
     *
     * @param rank the rank of the trainer, from 0
     * @param failure the failure that ended training early; null when there was none, or the trainer cannot see it
     * @return the written summary; empty when another trainer will write it
     * @throws IOException when the file cannot be written; the message is a sentence with the path
     */
    public Optional<Written> ended(int rank, TrainReport report, @Nullable Throwable failure) throws IOException {
        TrainReports.Ranked mine = new TrainReports.Ranked(rank, report);
        String writer = "rank-" + rank;
        if (trainers == 1) {
            return Optional.of(write(writer, new TrainReports(List.of(mine)), failure));
        }
        Path folder = Path.of(run);
        RankReportFiles.write(folder, mine);
        List<TrainReports.Ranked> reported =
                RankReportFiles.read(folder, trainers, report.task().restarts());
        if (reported.size() < trainers && failure == null && RankReportFiles.isShared(folder, trainers)) {
            return Optional.empty();
        }
        // Two trainers that end at the same time both find all reports, and write the same content.
        OptionalLong bad = QuarantineFiles.merge(folder, trainers, writer);
        TrainReports reports = new TrainReports(reported);
        return Optional.of(write(writer, bad.isPresent() ? reports.counting(bad.getAsLong()) : reports, failure));
    }

    private Written write(String writer, TrainReports reports, @Nullable Throwable failure) throws IOException {
        RunSummary summary = summary(reports, failure);
        write(writer, summary, Path.of(path));
        return new Written(summary, reports, writer);
    }

    private RunSummary summary(TrainReports reports, @Nullable Throwable failure) {
        TrainReport whole = reports.whole();
        Status status = failure != null ? Status.FAILED : whole.finished() ? Status.FINISHED : Status.INTERRUPTED;
        List<StageReading> unknown = stages.entrySet().stream()
                .map(stage -> StageReading.unknown(stage.getKey(), stage.getValue()))
                .toList();
        return RunResult.summarize(
                        name,
                        status,
                        failure == null ? null : failure.toString(),
                        new RunSummary.Setup(device, parallelism, ImageKernels.description(), null, unit, places),
                        startedAtMillis,
                        System.currentTimeMillis(),
                        reports,
                        unknown,
                        columns,
                        null)
                .with(shares);
    }

    /**
     * Writes a summary to a file of any name.
     *
     * @throws IOException when the file cannot be written; the message is a sentence with the path, and an earlier file
     *     is unchanged
     */
    public static void write(RunSummary summary, Path file) throws IOException {
        write("client", summary, file);
    }

    private static void write(String writer, RunSummary summary, Path file) throws IOException {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            WholeFiles.writeAs(writer, file, summary.toIndentedJson().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }
}
