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
 * Reads a job again and again on one thread of its own and keeps the last known value of everything: metrics vanish when
 * a task ends, and a reading may fail while the job goes on.
 */
public final class JobWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobWatch.class);

    private final FlinkRest rest;
    private final String job;
    private final List<String> stages;
    private final Consumer<JobReading> listener;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    /** Written by the watching thread, read by those that ask for {@link #latest}. */
    private volatile JobReading latest;

    private JobWatch(
            FlinkRest rest, String job, List<String> stages, Duration interval, Consumer<JobReading> listener) {
        this.rest = rest;
        this.job = job;
        this.stages = List.copyOf(stages);
        this.listener = listener;
        this.thread = new Thread(() -> watch(interval), "job-watch");
        this.latest = JobReading.unknown("CREATED", stages);
    }

    /**
     * Begins to watch.
     *
     * @param interval between the end of one reading and the begin of the next
     * @param listener called on the watching thread after each reading
     */
    public static JobWatch start(
            FlinkRest rest, String job, List<String> stages, Duration interval, Consumer<JobReading> listener) {
        JobWatch watch = new JobWatch(rest, job, stages, interval, listener);
        watch.thread.setDaemon(true);
        watch.thread.start();
        return watch;
    }

    /** The last known value of everything. */
    public JobReading latest() {
        return latest;
    }

    private void watch(Duration interval) {
        try {
            do {
                read();
            } while (!closed.await(interval.toMillis(), TimeUnit.MILLISECONDS));
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
            LOG.info("a reading of job {} failed; the next follows", job, e);
        } catch (RuntimeException e) {
            // Thrown on, it would end the watching for good without a word.
            LOG.warn("a reading of the job could not be shown: {}", e.toString(), e);
        }
    }

    /** Ends the watching; the listener is not called afterwards, unless this thread is interrupted. */
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
