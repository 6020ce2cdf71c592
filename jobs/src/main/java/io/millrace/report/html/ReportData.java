package io.millrace.report.html;

import io.millrace.report.Profile;
import io.millrace.report.RunSummary;
import io.millrace.sink.QuarantineFiles;
import io.millrace.sink.StepLine;
import io.millrace.sink.Trainers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * All that a report tells of a run.
 *
 * @param profile what each operation took
 * @param endedAt wall clock, for people
 * @param configuration as YAML in the words of a pipeline file, without secrets
 * @param machine what it ran on, for people, by name
 * @param courses the steps of each trainer, by its name
 * @param coarse whether these are a client's readings, and not the trainers' own files
 * @param steps the time of each step; empty when it is not known
 * @param waits before each step, likewise
 * @param quarantine empty when it is not known
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
     * Reads what a run's folder holds.
     *
     * @param ranks how many trainers there are
     * @param readings what the client saw of the run, for trainers whose files are elsewhere
     * @throws IOException with file and line where one is damaged
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
