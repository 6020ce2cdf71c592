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

/**
 * A printer of the resources that a job waits for while it cannot begin. It prints a line again only when the reason
 * changes. Used by one thread.
 */
final class ResourceWaitPrinter {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceWaitPrinter.class);

    /** The delay before the first line. Flink assigns free slots in less time. */
    private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final ClusterRest cluster;
    private final String job;
    private final SlotRequirement need;
    private final Consumer<String> out;
    private final LongSupplier nanoTime;
    private final long beganNanos;

    private String printed = "";

    /** Creates a printer for a job that has just been submitted. */
    ResourceWaitPrinter(
            ClusterRest cluster, String job, SlotRequirement need, Consumer<String> out, LongSupplier nanoTime) {
        this.cluster = cluster;
        this.job = job;
        this.need = need;
        this.out = out;
        this.nanoTime = nanoTime;
        this.beganNanos = nanoTime.getAsLong();
    }

    /** Prints the resources that the job waits for, unless this reading shows that it trains. */
    void check(JobReading reading) {
        boolean works = reading.trainer().steps() != null && reading.state().equals("RUNNING");
        if (works || nanoTime.getAsLong() - beganNanos < DELAY_NANOS) {
            return;
        }
        try {
            String sentence = ResourceWait.sentence(cluster.tasks(job), need, cluster.taskManagers())
                    .orElse("");
            if (!sentence.isEmpty() && !sentence.equals(printed)) {
                out.accept("millrace: " + sentence);
            }
            printed = sentence;
        } catch (IOException e) {
            LOG.info("the reason why the job waits could not be read", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
