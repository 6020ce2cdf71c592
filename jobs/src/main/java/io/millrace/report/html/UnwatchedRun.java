package io.millrace.report.html;

import io.millrace.config.PipelineConfig;
import io.millrace.file.WholeFiles;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.ServedPipeline;
import io.millrace.report.Profile;
import io.millrace.report.SummaryFile;
import io.millrace.sink.figures.ReportTarget;
import io.millrace.sink.figures.TrainReport;
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
 * The reports of a run that its job writes, because no client waits for the end. The report is in the run's folder on
 * the machine that trains. It contains the data that is known there: {@code steps.csv}, the trainers' operations and
 * the bad samples. The times of the stages on the data servers are not known there, so the report has no verdict.
 *
 * @param summary the summary file, which is written first; if it is not written, there is no report
 * @param configuration the configuration as YAML with the keys of a pipeline file, without secrets
 */
public record UnwatchedRun(SummaryFile summary, String configuration) implements ReportTarget {
    private static final Logger LOG = LoggerFactory.getLogger(UnwatchedRun.class);

    /** Returns the reports of a run: the report in the run's folder, and the summary in a file. */
    public static UnwatchedRun of(PipelineConfig config, RunPlan plan, Path run, Path file, long startedAtMillis) {
        return new UnwatchedRun(
                SummaryFile.of(config, plan, run, file, startedAtMillis), ConfigurationText.of(config.toMap()));
    }

    /** Returns the reports of the same run, whose batches go to clients. */
    public UnwatchedRun ofClients(PipelineConfig config) {
        return new UnwatchedRun(summary.ofClients(), ConfigurationText.of(ServedPipeline.described(config)));
    }

    @Override
    public void ended(int rank, TrainReport report, @Nullable Throwable failure) throws IOException {
        Optional<SummaryFile.Written> written = summary.ended(rank, report, failure);
        if (written.isPresent()) {
            try {
                write(written.get());
            } catch (IOException | RuntimeException e) {
                // The run is over and its summary is written: a missing report must not fail its task.
                LOG.warn("the report of the run in {} could not be written", summary.run(), e);
            }
        }
    }

    private void write(SummaryFile.Written written) throws IOException {
        Path folder = Path.of(summary.run());
        ReportData data = ReportData.read(
                folder,
                summary.trainers(),
                written.summary(),
                Profile.of(
                        written.summary(), written.reports().whole().attempt().operations()),
                HtmlReport.time(ZonedDateTime.now(ZoneId.systemDefault())),
                configuration,
                machine(),
                new ReadingLog());
        WholeFiles.writeAs(
                written.writer(),
                folder.resolve(HtmlReport.FILE),
                ReportPage.render(data).getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, String> machine() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("machine", "that of the trainer; the data stages may have run on others");
        facts.putAll(MachineFacts.here());
        return facts;
    }
}
