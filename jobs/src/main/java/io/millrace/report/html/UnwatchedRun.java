package io.millrace.report.html;

import io.millrace.config.PipelineConfig;
import io.millrace.file.WholeFiles;
import io.millrace.pipeline.RunPlan;
import io.millrace.report.Profile;
import io.millrace.report.SummaryFile;
import io.millrace.sink.ReportTarget;
import io.millrace.sink.TrainReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes summary and report of a run from within its job, for clients that have left. The report lies in the run's folder on
 * the machine that trains, and has what is known there: {@code steps.csv}, the trainers' operations, the bad samples. What
 * the stages on the data servers took, and so what limits the speed, is not.
 *
 * @param summary written first; without it there is no report
 * @param configuration as YAML in the words of a pipeline file, without secrets
 */
public record UnwatchedRun(SummaryFile summary, String configuration) implements ReportTarget {
    private static final Logger LOG = LoggerFactory.getLogger(UnwatchedRun.class);

    /** For a run of this pipeline into this folder, whose summary goes to that file. */
    public static UnwatchedRun of(PipelineConfig config, RunPlan plan, Path run, Path file, long startedAtMillis) {
        return new UnwatchedRun(
                SummaryFile.of(config, plan, run, file, startedAtMillis), ConfigurationText.of(config.toMap()));
    }

    @Override
    public void ended(int rank, TrainReport report, @Nullable Throwable failure) throws IOException {
        Optional<SummaryFile.Written> written = summary.ended(rank, report, failure);
        if (written.isPresent()) {
            try {
                write(written.get());
            } catch (IOException | RuntimeException e) {
                // The run is over and its summary written: no picture of it is worth failing its task for.
                LOG.warn("the report of the run in {} could not be written", summary.run(), e);
            }
        }
    }

    private void write(SummaryFile.Written told) throws IOException {
        Path folder = Path.of(summary.run());
        ReportData story = ReportData.read(
                folder,
                summary.trainers(),
                told.summary(),
                Profile.of(told.summary(), told.reports().whole().attempt().operations()),
                HtmlReport.time(ZonedDateTime.now(ZoneId.systemDefault())),
                configuration,
                machine(),
                new ReadingLog());
        WholeFiles.writeAs(
                told.writer(),
                folder.resolve(HtmlReport.FILE),
                ReportPage.render(story).getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, String> machine() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("machine", "the trainer's; the stages before it may have run on others");
        facts.putAll(Machine.here());
        return facts;
    }
}
