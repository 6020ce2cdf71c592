package io.millrace.sink.progress;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.file.WholeFiles;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.spec.Trainers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The files with the reports of a run's trainers, for runs whose client does not wait. A trainer writes its report into
 * its rank's folder when it ends. Ranks see one another's files if the run's folder is shared.
 */
public final class RankReportFiles {
    private static final String NAME = "report.json";
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(
                    DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private RankReportFiles() {}

    /**
     * Writes the report of a rank.
     *
     * @param run the run's folder
     * @throws IOException when the file cannot be written; the message names the path
     */
    public static void write(Path run, TrainReports.Ranked ranked) throws IOException {
        Path file = Trainers.folder(run, ranked.rank()).resolve(NAME);
        try {
            WholeFiles.writeDurably(file, JSON.writeValueAsBytes(ranked));
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }

    /**
     * Reads the reports of a run that has been restarted {@code restarts} times. Reports of earlier attempts are left
     * out.
     *
     * @param ranks the number of ranks of the run, at least 1
     * @return at least the reports that this process has written; fewer than {@code ranks} when some ranks have not
     *     ended, or write elsewhere
     */
    public static List<TrainReports.Ranked> read(Path run, int ranks, int restarts) throws IOException {
        List<TrainReports.Ranked> reports = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            Path file = Trainers.folder(run, rank).resolve(NAME);
            if (Files.exists(file)) {
                TrainReports.Ranked ranked = read(file);
                if (ranked.report().task().restarts() == restarts) {
                    reports.add(ranked);
                }
            }
        }
        return reports;
    }

    /** Returns whether this process sees the files of all ranks: each rank creates its folder when it begins. */
    public static boolean isShared(Path run, int ranks) {
        return IntStream.range(0, ranks).allMatch(rank -> Files.isDirectory(Trainers.folder(run, rank)));
    }

    private static TrainReports.Ranked read(Path file) throws IOException {
        try {
            return JSON.readValue(Files.readAllBytes(file), TrainReports.Ranked.class);
        } catch (JsonProcessingException e) {
            throw new IOException(file + " is damaged: " + e.getOriginalMessage(), e);
        }
    }
}
