package io.millrace.report.html;

import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.ServedPipeline;
import io.millrace.report.Profile;
import io.millrace.report.RunFolder;
import io.millrace.report.RunSummary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;

/** A writer of {@code report.html}. */
public final class HtmlReport {
    /** The name of the file. */
    public static final String FILE = "report.html";

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss xxx", Locale.ROOT);

    private HtmlReport() {}

    /**
     * Writes the report of a run.
     *
     * @param folder the run's folder, whose files the report uses
     * @param machine the machine of the run, see {@link MachineFacts}
     * @param readings the client's readings of the run
     * @return the path of the report
     * @throws IOException when a file of the run is damaged or the report cannot be written; the message is a sentence
     *     with the path
     */
    public static Path write(
            RunFolder folder,
            PipelineConfig config,
            RunSummary summary,
            Profile profile,
            ZonedDateTime endedAt,
            Map<String, String> machine,
            ReadingLog readings)
            throws IOException {
        ReportData data = ReportData.read(
                folder.path(),
                config.train().trainers().ranks(),
                summary,
                profile,
                time(endedAt),
                ConfigurationText.of(
                        summary.setup().belongsToClients() ? ServedPipeline.described(config) : config.toMap()),
                machine,
                readings);
        return write(folder, ReportPage.render(data));
    }

    /**
     * Writes the report of a diagnosis.
     *
     * @return the path of the report
     * @throws IOException when the report cannot be written; the message is a sentence with the path
     */
    public static Path write(RunFolder folder, DiagnosisData data) throws IOException {
        return write(folder, DiagnosisPage.render(data));
    }

    /** Returns a moment as reports print it. */
    public static String time(ZonedDateTime moment) {
        return TIME.format(moment);
    }

    private static Path write(RunFolder folder, String page) throws IOException {
        folder.write(FILE, page.getBytes(StandardCharsets.UTF_8));
        return folder.file(FILE);
    }
}
