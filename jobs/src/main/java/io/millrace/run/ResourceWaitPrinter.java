package io.millrace.run;

import io.millrace.pipeline.SlotRequirement;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.JobReading;
import io.millrace.rest.ResourceWait;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what a job waits for that does not begin, and again when that changes. Used by one thread. */
final class ResourceWaitPrinter {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceWaitPrinter.class);

    /** Slots are given in less when they are there. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final ClusterRest cluster;
    private final String job;
    private final SlotRequirement need;
    private final Consumer<String> out;
    private final LongSupplier nanoTime;
    private final long beganNanos;

    private String told = "";

    /** For a job that was submitted just now. */
    ResourceWaitPrinter(
            ClusterRest cluster, String job, SlotRequirement need, Consumer<String> out, LongSupplier nanoTime) {
        this.cluster = cluster;
        this.job = job;
        this.need = need;
        this.out = out;
        this.nanoTime = nanoTime;
        this.beganNanos = nanoTime.getAsLong();
    }

    /** Looks whether the job waits, if this reading does not show that it works. */
    void look(JobReading reading) {
        boolean works = reading.trainer().steps() != null && reading.state().equals("RUNNING");
        if (works || nanoTime.getAsLong() - beganNanos < PATIENCE_NANOS) {
            return;
        }
        try {
            String sentence = ResourceWait.sentence(cluster.tasks(job), need, cluster.taskManagers())
                    .orElse("");
            if (!sentence.isEmpty() && !sentence.equals(told)) {
                out.accept("millrace: " + sentence);
            }
            told = sentence;
        } catch (IOException e) {
            LOG.info("what the job waits for is not known", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
