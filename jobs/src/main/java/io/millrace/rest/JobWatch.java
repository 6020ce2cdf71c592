package io.millrace.rest;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watch on a job. It reads the job repeatedly on a thread of its own and keeps the last known value of everything,
 * because metrics vanish when a task ends, and a reading may fail while the job continues.
 */
public final class JobWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobWatch.class);

    private final FlinkRest rest;
    private final String job;
    private final List<String> stages;
    private final Consumer<JobReading> listener;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    /** Volatile: the watching thread writes it, and callers of {@link #latest} read it. */
    private volatile JobReading latest;

    private JobWatch(
            FlinkRest rest, String job, List<String> stages, WatchInterval interval, Consumer<JobReading> listener) {
        this.rest = rest;
        this.job = job;
        this.stages = List.copyOf(stages);
        this.listener = listener;
        this.thread = new Thread(() -> watch(interval), "job-watch");
        this.latest = JobReading.unknown("CREATED", stages);
    }

    /**
     * Starts a watch.
     *
     * @param job Flink's id of the job
     * @param stages the names of the stages to read
     * @param interval the time between the end of one reading and the beginning of the next
     * @param listener receives each reading, on the watching thread
     */
    public static JobWatch start(
            FlinkRest rest, String job, List<String> stages, Duration interval, Consumer<JobReading> listener) {
        return start(rest, job, stages, WatchInterval.of(interval), listener);
    }

    /** Starts a watch whose interval depends on the job. */
    public static JobWatch start(
            FlinkRest rest, String job, List<String> stages, WatchInterval interval, Consumer<JobReading> listener) {
        JobWatch watch = new JobWatch(rest, job, stages, interval, listener);
        watch.thread.setDaemon(true);
        watch.thread.start();
        return watch;
    }

    /** Returns the last known value of everything. */
    public JobReading latest() {
        return latest;
    }

    private void watch(WatchInterval interval) {
        Duration pause = interval.least();
        try {
            do {
                JobReading before = latest;
                read();
                pause = interval.after(pause, before, latest);
            } while (!closed.await(pause.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void read() throws InterruptedException {
        try {
            JobReading reading = rest.read(job, stages).orElse(latest);
            latest = reading;
            listener.accept(reading);
        } catch (IOException e) {
            LOG.info("job {} could not be read this time; the next reading follows", job, e);
        } catch (RuntimeException e) {
            // If this exception were thrown again, the watch would end silently.
            LOG.warn("a reading of job {} could not be shown: {}", job, e.toString(), e);
        }
    }

    /** Ends the watch. The listener is not called afterwards, unless the calling thread is interrupted. */
    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
