package io.millrace.sink;

import java.nio.file.Path;

/**
 * How often a run was begun again.
 *
 * @param all with those of the jobs before
 * @param earlier those of the jobs before
 */
record Restarts(int all, int earlier) {
    /** Of a run at its beginning, in an attempt of that number from 0. */
    static Restarts of(int attempt) {
        return new Restarts(attempt, 0);
    }

    /** Of a run that goes on from there. */
    static Restarts of(int attempt, Progress from, Path run) {
        boolean sameRun = from.isOf(run);
        int earlier = sameRun ? from.earlierRestarts() : from.restarts();
        // A new JobManager counts attempts from 0 again.
        return new Restarts(Math.max(attempt + earlier, sameRun ? from.restarts() + 1 : 0), earlier);
    }
}
