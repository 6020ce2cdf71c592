package io.millrace.run;

import io.millrace.rest.ClusterRest;
import io.millrace.rest.JobTasks;
import io.millrace.serve.ServeEndpoint;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.deliver.ServeAddresses;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The knowledge where the sinks of a job on a cluster listen. While clients wait at the front door, a thread reads the places
 * about once a second. Nobody asks Flink while no client waits.
 */
final class SinkPlaces implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SinkPlaces.class);
    private static final long INTERVAL_MILLIS = 1_000;

    /** The time without any TaskManager after which clients are told that the job cannot go on. A machine may just be restarting. */
    private static final long MOST_SECONDS_WITHOUT_MACHINES = 5;

    private final ClusterRest cluster;
    private final String job;
    private final ServeSpec.Stream stream;
    private final ServeEndpoint frontDoor;
    private final Thread thread;

    /** Whether the sinks have run: before that, the job waits for its first TaskManagers as long as it may. */
    private boolean delivered;

    private @Nullable Long machinesLostAtNanos;

    /**
     * Begins to send clients to the sinks of a job.
     *
     * @param job Flink's id of the job
     * @param stream the batches that the sinks deliver
     */
    SinkPlaces(ClusterRest cluster, String job, ServeSpec.Stream stream, ServeEndpoint frontDoor) {
        this.cluster = cluster;
        this.job = job;
        this.stream = stream;
        this.frontDoor = frontDoor;
        this.thread = new Thread(this::follow, "serve-places");
        thread.setDaemon(true);
        thread.start();
    }

    private void follow() {
        try {
            while (frontDoor.awaitClient()) {
                try {
                    read();
                } catch (IOException | RuntimeException e) { // without this thread, clients would wait for ever
                    LOG.info("the sinks of job {} cannot be found this time", job, e);
                    frontDoor.redirect(Map.of(), "Flink does not show the sinks: " + e.getMessage());
                }
                TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void read() throws IOException, InterruptedException {
        JobTasks tasks = cluster.tasks(job);
        Optional<String> addresses =
                delivers(tasks) ? cluster.accumulator(job, ServeAddresses.accumulator(stream)) : Optional.empty();
        delivered |= addresses.isPresent();
        if (addresses.isEmpty() && delivered && isLost()) {
            frontDoor.lose("the job " + job + " has lost all TaskManagers: the cluster has none any"
                    + " more. Start TaskManagers, then the program again with the state that it has saved");
            return;
        }
        frontDoor.redirect(
                addresses.isEmpty() ? Map.of() : ServeAddresses.parse(addresses.get()),
                tasks.waitsForSlots() ? "the job waits for slots" : "the job starts: it is " + tasks.state());
    }

    /** Returns whether the cluster has had no TaskManager for some time. */
    private boolean isLost() throws IOException, InterruptedException {
        if (!cluster.taskManagers().isEmpty()) {
            machinesLostAtNanos = null;
            return false;
        }
        long now = System.nanoTime();
        Long since = machinesLostAtNanos;
        if (since == null) {
            machinesLostAtNanos = now;
            return false;
        }
        return now - since > TimeUnit.SECONDS.toNanos(MOST_SECONDS_WITHOUT_MACHINES);
    }

    /** Returns whether all sinks run. The addresses of tasks that have failed remain visible until they start again. */
    private boolean delivers(JobTasks tasks) {
        return tasks.state().equals("RUNNING")
                && (stream == ServeSpec.Stream.TRAINING ? tasks.consumer() : tasks.evaluation())
                        .filter(sinks -> sinks.tasks().getOrDefault("RUNNING", 0) == sinks.parallelism())
                        .isPresent();
    }

    /** Ends the thread. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
