package io.millrace.report;

import io.millrace.config.PipelineConfig;
import io.millrace.file.WholeFiles;
import io.millrace.image.ImageKernels;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.report.RunSummary.Status;
import io.millrace.sink.ReportTarget;
import io.millrace.sink.TrainReport;
import io.millrace.sink.TrainReports;
import io.millrace.sink.UnwritableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the summary of a run from within its job, for clients that have left. What it cannot know is null: the figures of
 * the stages on the data servers, which are in other processes, and why a job failed whose trainer did not.
 *
 * @param path the file, on the machine that trains
 * @param stages on the data servers, with their parallelism
 * @param startedAtMillis when the run was asked for, wall clock
 * @param rowBytes what one row holds where the report does not say
 */
public record SummaryFile(
        String path, String name, int parallelism, Map<String, Integer> stages, long startedAtMillis, long rowBytes)
        implements ReportTarget {
    public SummaryFile {
        stages = new LinkedHashMap<>(stages);
    }

    /** For a run of this pipeline. */
    public static SummaryFile of(PipelineConfig config, RunPlan plan, Path file, long startedAtMillis) {
        return new SummaryFile(
                file.toAbsolutePath().toString(),
                config.name(),
                config.parallelism(),
                Pipeline.stages(config),
                startedAtMillis,
                plan.rows().rowBytes());
    }

    @Override
    public void ended(int rank, TrainReport report, @Nullable Throwable failure) throws IOException {
        Status status = report.finished() ? Status.FINISHED : failure == null ? Status.INTERRUPTED : Status.FAILED;
        List<StageReading> unknown = stages.entrySet().stream()
                .map(stage -> StageReading.unknown(stage.getKey(), stage.getValue()))
                .toList();
        RunSummary summary = RunResult.summarize(
                name,
                status,
                failure == null ? null : failure.toString(),
                new RunSummary.Setup("host", parallelism, ImageKernels.description()),
                startedAtMillis,
                System.currentTimeMillis(),
                new TrainReports(List.of(new TrainReports.Ranked(rank, report))),
                unknown,
                RunResult.bytesPerSample(report, rowBytes));
        write(summary, file(rank));
    }

    /** Trainers know nothing of each other's reports: those after the first have files of their own beside the first's. */
    private Path file(int rank) {
        return Path.of(rank == 0 ? path : path.replaceFirst("(\\.json)?$", "-rank-" + rank + "$1"));
    }

    /**
     * Writes a summary to a file of any name.
     *
     * @throws IOException with a sentence and the path; an earlier file is then as it was
     */
    public static void write(RunSummary summary, Path file) throws IOException {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            WholeFiles.writeDurably(file, summary.toIndentedJson().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }
}
