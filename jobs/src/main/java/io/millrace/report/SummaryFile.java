package io.millrace.report;

import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacedTransforms;
import io.millrace.file.WholeFiles;
import io.millrace.image.ImageKernels;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.WireColumn;
import io.millrace.report.RunSummary.Status;
import io.millrace.rest.StageReading;
import io.millrace.sink.QuarantineFiles;
import io.millrace.sink.RankReportFiles;
import io.millrace.sink.TrainReport;
import io.millrace.sink.TrainReports;
import io.millrace.sink.UnwritableException;
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
 * Writes the summary of a run from within its job, for clients that have left. What it cannot know is null: the figures of
 * the stages on the data servers, which are in other processes, and why a job failed whose trainer did not.
 *
 * <p>With several trainers the last to end writes it, and one that fails. Each sees the others' figures where the run's
 * folder is shared; where it is not, each writes on its machine what it knows.
 *
 * @param path the file, on the machine that trains
 * @param run the run's folder
 * @param trainers the number of trainers
 * @param device the configured {@code device.kind}: it stands for the device when no trainer reports one
 * @param stages on the data servers, with their parallelism
 * @param startedAtMillis when the run was asked for, wall clock
 * @param sent the fields that travel to the trainers, and why so
 * @param places where transforms are done of whose place the pipeline file says something
 */
public record SummaryFile(
        String path,
        String run,
        int trainers,
        String device,
        String name,
        int parallelism,
        Map<String, Integer> stages,
        long startedAtMillis,
        List<WireColumn> sent,
        List<PlacedTransforms.Told> places)
        implements Serializable {
    /**
     * What was written.
     *
     * @param reports of the trainers that are in it
     * @param writer who did, where several trainers may at the same time
     */
    public record Written(RunSummary summary, TrainReports reports, String writer) {}

    public SummaryFile {
        stages = new LinkedHashMap<>(stages);
        sent = List.copyOf(sent);
        places = List.copyOf(places);
    }

    /** For a run of this pipeline into this folder. */
    public static SummaryFile of(PipelineConfig config, RunPlan plan, Path run, Path file, long startedAtMillis) {
        return new SummaryFile(
                file.toAbsolutePath().toString(),
                run.toAbsolutePath().toString(),
                config.train().trainers().ranks(),
                RunSummary.Setup.configuredDevice(config),
                config.name(),
                config.slots().parallelism(),
                Pipeline.stages(config),
                startedAtMillis,
                plan.sent(),
                config.device().placed().told());
    }

    /**
     * Writes it, when a trainer's training has ended.
     *
     * @param rank of the trainer, from 0
     * @param failure why training ended early, where the trainer knows; null otherwise
     * @return what was written; empty while others train that will write it
     * @throws IOException with a sentence and the path
     */
    public Optional<Written> ended(int rank, TrainReport report, @Nullable Throwable failure) throws IOException {
        TrainReports.Ranked mine = new TrainReports.Ranked(rank, report);
        String writer = "rank-" + rank;
        if (trainers == 1) {
            return Optional.of(write(writer, new TrainReports(List.of(mine)), failure));
        }
        Path folder = Path.of(run);
        RankReportFiles.write(folder, mine);
        List<TrainReports.Ranked> told =
                RankReportFiles.read(folder, trainers, report.task().restarts());
        if (told.size() < trainers && failure == null && RankReportFiles.isShared(folder, trainers)) {
            return Optional.empty();
        }
        // Two that end at once both find all the others: both then write the same.
        OptionalLong bad = QuarantineFiles.merge(folder, trainers, writer);
        TrainReports reports = new TrainReports(told);
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
                new RunSummary.Setup(device, parallelism, ImageKernels.description(), null, places),
                startedAtMillis,
                System.currentTimeMillis(),
                reports,
                unknown,
                sent,
                null);
    }

    /**
     * Writes a summary to a file of any name.
     *
     * @throws IOException with a sentence and the path; an earlier file is then as it was
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
