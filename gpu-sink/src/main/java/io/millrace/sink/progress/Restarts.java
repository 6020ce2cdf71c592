package io.millrace.sink.progress;

import java.nio.file.Path;

/**
 * The numbers of restarts of a run.
 *
 * @param all the number of all restarts, including those of earlier jobs
 * @param earlier the number of restarts of earlier jobs
 */
public record Restarts(int all, int earlier) {
    /** Returns the restarts of a new run, whose current attempt has the number {@code attempt}, from 0. */
    public static Restarts of(int attempt) {
        return new Restarts(attempt, 0);
    }

    /** Returns the restarts of a run that continues from a checkpoint or an earlier run. */
    public static Restarts of(int attempt, Progress from, Path run) {
        boolean sameRun = from.isOf(run);
        int earlier = sameRun ? from.earlierRestarts() : from.restarts();
        // A new JobManager counts attempts from 0 again.
        return new Restarts(Math.max(attempt + earlier, sameRun ? from.restarts() + 1 : 0), earlier);
    }
}
