package io.millrace.report.html;

import io.millrace.report.Profile;
import io.millrace.report.RunSummary;
import io.millrace.sink.progress.QuarantineFiles;
import io.millrace.sink.progress.StepLine;
import io.millrace.sink.spec.Trainers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The content of a run's report.
 *
 * @param summary the summary of the run
 * @param profile the time of each operation
 * @param endedAt the wall-clock time at the end, for readers
 * @param configuration the configuration as YAML with the keys of a pipeline file, without secrets
 * @param machine facts about the machine by name, for readers
 * @param courses the steps of each trainer, by the trainer's name
 * @param coarse whether the steps come from a client's readings instead of the trainers' files
 * @param steps the times of the steps; empty when they are not known
 * @param waits the waits before the steps; empty when they are not known
 * @param quarantine the first bad samples; empty when they are not known
 */
record ReportData(
        RunSummary summary,
        Profile profile,
        String endedAt,
        String configuration,
        Map<String, String> machine,
        Map<String, List<StepSpan>> courses,
        boolean coarse,
        Optional<Spread> steps,
        Optional<Spread> waits,
        Optional<QuarantineHead> quarantine) {
    private static final int DIGITS = 3;

    ReportData {
        machine = new LinkedHashMap<>(machine);
        courses = new LinkedHashMap<>(courses);
    }

    /**
     * Reads the files of a run's folder.
     *
     * @param ranks the number of trainers, at least 1
     * @param readings the client's readings of the run, for trainers whose files are on other machines
     * @throws IOException when a file is damaged; the message names the file and the line
     */
    static ReportData read(
            Path folder,
            int ranks,
            RunSummary summary,
            Profile profile,
            String endedAt,
            String configuration,
            Map<String, String> machine,
            ReadingLog readings)
            throws IOException {
        Map<String, List<StepSpan>> courses = new LinkedHashMap<>();
        List<StepFile> files = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            Optional<StepFile> file =
                    StepFile.read(Trainers.folder(folder, rank).resolve(StepLine.FILE));
            if (file.isPresent()) {
                files.add(file.get());
                courses.put(ranks == 1 ? "train" : "rank " + rank, file.get().spans());
            }
        }
        boolean coarse = courses.isEmpty();
        if (coarse) {
            courses.put(ranks == 1 ? "train" : "all trainers", readings.spans());
        }
        return new ReportData(
                summary,
                profile,
                endedAt,
                configuration,
                machine,
                courses,
                coarse,
                spread(files.stream().map(StepFile::stepNanos).toList()),
                spread(files.stream().map(StepFile::waitNanos).toList()),
                QuarantineHead.read(folder.resolve(QuarantineFiles.NAME)));
    }

    private static Optional<Spread> spread(List<Histogram> parts) {
        Histogram all = new Histogram(DIGITS);
        parts.forEach(all::add);
        return all.getTotalCount() == 0 ? Optional.empty() : Optional.of(Spread.of(all));
    }
}
