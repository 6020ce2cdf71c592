package io.millrace.run;

import io.millrace.rest.ClusterRest;
import io.millrace.rest.JobTasks;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A measurement of the time without training. The pause begins when a job receives the request to stop, although the
 * job may train a little longer. It ends when the training task of this job or of its successor runs with its state
 * restored. The state of the job is read at intervals of 100 ms, and all times are those of this process's clock.
 */
public final class TrainingPause {
    private static final long INTERVAL_MILLIS = 100;
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final ClusterRest cluster;
    private final OptionalLong before;
    private final long beganNanos = System.nanoTime();

    private TrainingPause(ClusterRest cluster, OptionalLong before) {
        this.cluster = cluster;
        this.before = before;
    }

    /** Begins the measurement for a job that is training. */
    public static TrainingPause begin(ClusterRest cluster, String job) throws IOException, InterruptedException {
        return new TrainingPause(cluster, trainingSince(cluster, job));
    }

    /**
     * Waits until the job trains in a new task.
     *
     * @return the seconds since the measurement began
     * @throws IOException when the job does not train within ten minutes, or has ended
     */
    public double end(String job) throws IOException, InterruptedException {
        while (true) {
            OptionalLong since = trainingSince(cluster, job);
            long nanos = System.nanoTime() - beganNanos;
            if (since.isPresent() && !since.equals(before)) {
                return nanos / 1e9;
            }
            String state = cluster.tasks(job).state();
            if (state.equals("FAILED") || state.equals("CANCELED") || state.equals("FINISHED") || nanos > MOST_NANOS) {
                throw new IOException("job " + job + " has not continued its training: its state is " + state);
            }
            TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
        }
    }

    /**
     * Returns the time at which the running training task, or the sink of a served run, began, by Flink's clock; empty when
     * none runs.
     */
    private static OptionalLong trainingSince(ClusterRest cluster, String job)
            throws IOException, InterruptedException {
        Optional<JobTasks.Vertex> vertex = cluster.tasks(job).consumer();
        return vertex.isPresent() ? cluster.runningSince(job, vertex.get().id()) : OptionalLong.empty();
    }
}
