package io.millrace.resume;

import io.millrace.pipeline.Checkpointing;
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

/** Finds what a run can go on from. */
public final class ResumePoints {
    private static final Logger LOG = LoggerFactory.getLogger(ResumePoints.class);

    /** The default folder of checkpoints in a run's folder. */
    private static final String CHECKPOINTS = Checkpointing.FOLDER;

    private ResumePoints() {}

    /**
     * The newest state of the newest run that has one. What cannot be read is passed over, with a word in the log.
     *
     * @param runs the folder of the pipeline's runs
     * @param checkpoints where the pipeline file sends checkpoints, if it does
     * @throws IOException when there is none, with a sentence that says where was looked
     */
    public static ResumePoint latest(Path runs, Optional<String> checkpoints) throws IOException {
        List<String> looked = new ArrayList<>();
        if (checkpoints.isPresent()) {
            looked.add(checkpoints.get());
            Optional<ResumePoint> found = newest(flinkPath(checkpoints.get()));
            if (found.isPresent()) {
                return found.get();
            }
        }
        looked.add(runs.toAbsolutePath().toString());
        for (Path run : newestFirst(runs)) {
            Optional<ResumePoint> found = in(run);
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new IOException("there is nothing to resume: no run in " + String.join(" or ", looked)
                + " has a finished checkpoint or a final state");
    }

    /**
     * The state at a path: a checkpoint's or savepoint's folder, or the newest in a run's folder or in a folder of
     * checkpoints.
     *
     * @throws IOException when there is none, or it cannot be read, with a sentence
     */
    public static ResumePoint at(String path) throws IOException {
        org.apache.flink.core.fs.Path given = flinkPath(
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
                + "), or the folder of a run that has one or ended"));
    }

    /**
     * Of a run's newest checkpoint and its final state that which got further. A run that was stopped has both, of one
     * moment; the checkpoint then also has the samples that were on their way.
     */
    private static Optional<ResumePoint> in(Path run) throws IOException {
        Optional<ResumePoint> checkpoint =
                newest(flinkPath(run.resolve(CHECKPOINTS).toString()));
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
                    LOG.warn("passing over {}: {}", checkpoint, e.getMessage(), e);
                }
            }
        }
        return Optional.empty();
    }

    /** Runs are named by their time; the link to the latest is no run. */
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

    private static org.apache.flink.core.fs.Path flinkPath(String path) {
        boolean address = path.matches("[A-Za-z][A-Za-z0-9+.-]+:.*");
        return new org.apache.flink.core.fs.Path(
                address ? path : Path.of(path).toAbsolutePath().toUri().toString());
    }
}
