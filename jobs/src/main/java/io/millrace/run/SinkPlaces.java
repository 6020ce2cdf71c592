package io.millrace.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.JobTasks;
import io.millrace.serve.ServeEndpoint;
import io.millrace.sink.ServeAddresses;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The knowledge where the sinks of a job on a cluster listen. While clients wait at the front door, a thread reads the places
 * about once a second. Nobody asks Flink while no client waits.
 */
final class SinkPlaces implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SinkPlaces.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long INTERVAL_MILLIS = 1_000;

    /** The stage whose tasks are the sinks. */
    private static final String DELIVER = "deliver";

    private final ClusterRest cluster;
    private final String job;
    private final ServeEndpoint frontDoor;
    private final Thread thread;

    /**
     * Begins to send clients to the sinks of a job.
     *
     * @param job Flink's id of the job
     */
    SinkPlaces(ClusterRest cluster, String job, ServeEndpoint frontDoor) {
        this.cluster = cluster;
        this.job = job;
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
                } catch (IOException e) {
                    LOG.info("the sinks of job {} cannot be found this time", job, e);
                    frontDoor.redirect(Map.of(), "Flink does not answer: " + e.getMessage());
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
                delivers(tasks) ? cluster.accumulator(job, ServeAddresses.ACCUMULATOR) : Optional.empty();
        frontDoor.redirect(
                addresses.isEmpty() ? Map.of() : parse(addresses.get()),
                tasks.waitsForSlots() ? "the job waits for slots" : "the job starts: it is " + tasks.state());
    }

    /** Returns whether all sinks run. The addresses of tasks that have failed remain visible until they start again. */
    private static boolean delivers(JobTasks tasks) {
        return tasks.state().equals("RUNNING")
                && tasks.vertices().stream()
                        .filter(vertex -> vertex.stages().contains(DELIVER))
                        .anyMatch(vertex -> vertex.tasks().getOrDefault("RUNNING", 0) == vertex.parallelism());
    }

    /** Returns the addresses in an accumulator's text. */
    static Map<Integer, List<String>> parse(String text) throws IOException {
        try {
            return JSON.readValue(text, new TypeReference<>() {});
        } catch (JsonProcessingException e) {
            throw new IOException("the addresses of the sinks cannot be read: " + text, e);
        }
    }

    /** Ends the thread. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
