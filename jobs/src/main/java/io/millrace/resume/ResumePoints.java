package io.millrace.resume;

import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.FlinkPath;
import io.millrace.source.RunIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The search for the states from which a run can resume. */
public final class ResumePoints {
    private static final Logger LOG = LoggerFactory.getLogger(ResumePoints.class);

    /** The default folder of checkpoints in a run's folder. */
    private static final String CHECKPOINTS = Checkpointing.FOLDER;

    private ResumePoints() {}

    /**
     * Returns the newest state of the newest run that has one. States that cannot be read are skipped with a warning.
     *
     * @param runs the folder of the pipeline's runs
     * @param checkpoints the path of checkpoints in the pipeline file, if it has one
     * @throws IOException when there is no state; the message lists the searched folders
     */
    public static ResumePoint latest(Path runs, Optional<String> checkpoints) throws IOException {
        List<String> searched = new ArrayList<>();
        if (checkpoints.isPresent()) {
            searched.add(checkpoints.get());
            Optional<ResumePoint> found = newest(FlinkPath.of(checkpoints.get()));
            if (found.isPresent()) {
                return found.get();
            }
        }
        searched.add(runs.toAbsolutePath().toString());
        for (Path run : newestFirst(runs)) {
            Optional<ResumePoint> found = in(run);
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new IOException("there is nothing to resume: no run in " + String.join(" or ", searched)
                + " has a finished checkpoint or a final state");
    }

    /**
     * Returns the state at a path: the folder of a checkpoint or savepoint, or the newest state in the folder of a run or of
     * checkpoints.
     *
     * @throws IOException when there is no state, or it cannot be read; the message is for the user
     */
    public static ResumePoint at(String path) throws IOException {
        org.apache.flink.core.fs.Path given = FlinkPath.of(
                path.endsWith("/" + CheckpointFile.METADATA)
                        ? path.substring(0, path.length() - CheckpointFile.METADATA.length() - 1)
                        : path);
        if (given.getFileSystem().exists(new org.apache.flink.core.fs.Path(given, CheckpointFile.METADATA))) {
            return CheckpointFile.read(given);
        }
        Optional<ResumePoint> found = newest(given);
        if (found.isEmpty() && !given.getFileSystem().isDistributedFS()) {
            found = in(Path.of(given.toUri()));
        }
        return found.orElseThrow(() -> new IOException("there is nothing to resume at " + path
                + ": expected a checkpoint or savepoint (a folder with a file " + CheckpointFile.METADATA
                + "), or the folder of a run that has one or has ended"));
    }

    /** Returns whether a run of this machine has a checkpoint or a final state from which it can resume. */
    public static boolean exist(Path run) {
        try {
            return in(run).isPresent();
        } catch (IOException e) {
            LOG.info("the state of the run in {} cannot be read", run, e);
            return false;
        }
    }

    /**
     * Returns the folder of the run that wrote a checkpoint or savepoint; an empty text when it cannot be found, because Flink reads
     * the checkpoint itself and reports what is wrong with it.
     */
    public static String folder(String path) {
        try {
            return at(path).identity().folder();
        } catch (IOException e) {
            LOG.info("the folder of the run that wrote {} is not known", path, e);
            return RunIdentity.UNKNOWN.folder();
        }
    }

    /**
     * Returns a run's newest checkpoint or its final state, depending on which has the later position. A stopped run
     * has both at the same position; the checkpoint then also holds the samples that were in the network buffers.
     */
    private static Optional<ResumePoint> in(Path run) throws IOException {
        Optional<ResumePoint> checkpoint =
                newest(FlinkPath.of(run.resolve(CHECKPOINTS).toString()));
        if (!Files.isDirectory(FinalState.of(run))) {
            return checkpoint;
        }
        ResumePoint ended = FinalState.read(run);
        return checkpoint.filter(point -> point.position() >= ended.position()).or(() -> Optional.of(ended));
    }

    private static Optional<ResumePoint> newest(org.apache.flink.core.fs.Path folder) throws IOException {
        try (Stream<org.apache.flink.core.fs.Path> found = CheckpointFile.newestFirst(folder)) {
            for (Iterator<org.apache.flink.core.fs.Path> each = found.iterator(); each.hasNext(); ) {
                org.apache.flink.core.fs.Path checkpoint = each.next();
                try {
                    return Optional.of(CheckpointFile.read(checkpoint));
                } catch (IOException e) {
                    LOG.warn("skipping {}: {}", checkpoint, e.getMessage(), e);
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the folders of runs, which are named by their time, without the link to the latest run. */
    private static List<Path> newestFirst(Path runs) throws IOException {
        if (!Files.isDirectory(runs)) {
            return List.of();
        }
        try (Stream<Path> found = Files.list(runs)) {
            return found.filter(run -> Files.isDirectory(run, LinkOption.NOFOLLOW_LINKS))
                    .sorted(Comparator.comparing((Path run) -> String.valueOf(run.getFileName()))
                            .reversed())
                    .toList();
        }
    }
}
