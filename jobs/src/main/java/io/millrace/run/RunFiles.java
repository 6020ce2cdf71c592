package io.millrace.run;

import io.millrace.pipeline.Checkpointing;
import io.millrace.report.RunFolder;
import io.millrace.report.SummaryFile;
import io.millrace.report.html.HtmlReport;
import io.millrace.trace.TraceFolder;
import java.io.IOException;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A writer of the files of a run whose client has waited for its end: the summary, the report and the trace. */
public final class RunFiles {
    private static final Logger LOG = LoggerFactory.getLogger(RunFiles.class);

    private final PreparedRun run;
    private final JobRun.Outcome outcome;
    private final RunFolder folder;

    /** Creates a writer for one run that has ended. */
    public RunFiles(PreparedRun run, JobRun.Outcome outcome) {
        this.run = run;
        this.outcome = outcome;
        this.folder = run.folder();
    }

    /** Writes the summary to the requested file, and removes folders that checkpoints left empty. */
    public void writeSummary() throws IOException {
        if (run.summary().isPresent()) {
            SummaryFile.write(outcome.summary(), run.summary().get());
        } else {
            folder.write(outcome.summary());
        }
        folder.removeEmpty(Checkpointing.FOLDER);
    }

    /**
     * Writes the report. A failure is logged and returned but not thrown, because the run is over and its summary is
     * written.
     *
     * @return the report's path, or the reason why there is none
     */
    public String writeReport(Map<String, String> machine) {
        try {
            return HtmlReport.write(
                            folder,
                            run.config(),
                            outcome.summary(),
                            outcome.profile(),
                            ZonedDateTime.now(ZoneId.systemDefault()),
                            machine,
                            outcome.course())
                    .toString();
        } catch (IOException e) {
            LOG.warn("the report could not be written", e);
            return "none: " + Failure.of(e).sentence();
        }
    }

    /**
     * Merges the traces that the processes of the job wrote into the run's folder.
     *
     * @return the path of the merged trace and the number of its parts, or the reason why there is none
     */
    public String mergeTrace() {
        try {
            return TraceFolder.merge(folder.path())
                    .map(whole -> whole.file() + (whole.parts() == 1 ? "" : " (" + whole.parts() + " parts)"))
                    .orElse("none here: each TaskManager writes its part into " + folder.file(TraceFolder.NAME)
                            + " on its machine");
        } catch (IOException e) {
            LOG.warn("the trace could not be merged", e);
            return "none: " + Failure.of(e).sentence();
        }
    }
}
