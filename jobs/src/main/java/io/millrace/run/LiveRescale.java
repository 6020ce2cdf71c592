package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.auto.ChoiceText;
import io.millrace.diagnosis.auto.LiveChoice;
import io.millrace.pipeline.Pipeline;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.JobReading;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rescaling of a running job according to its measurements, on a cluster that can rescale running jobs (adaptive
 * scheduler). Used by one thread.
 */
final class LiveRescale {
    private static final Logger LOG = LoggerFactory.getLogger(LiveRescale.class);

    private final ClusterRest cluster;
    private final String job;
    private final LiveChoice choice;
    private final Consumer<String> out;

    /** Whether the cluster can rescale running jobs; null until the cluster has been queried. */
    private @Nullable Boolean possible;

    /**
     * Creates a rescaler for a job that continues where it was. Without checkpoints, a rescaled job that trains would start from
     * its first step.
     *
     * @param out receives a line for each change
     */
    LiveRescale(ClusterRest cluster, String job, LiveChoice choice, Consumer<String> out) {
        this.cluster = cluster;
        this.job = job;
        this.choice = choice;
        this.out = out;
    }

    /** Rescales the job if the measurement calls for another number of slots. */
    void check(Measurement measured, JobReading reading) {
        try {
            if (isAdaptive()) {
                PipelineConfig before = choice.now();
                Optional<PipelineConfig> next = choice.next(measured, reading.tasks());
                if (next.isPresent()) {
                    rescale(before, next.get(), measured);
                }
            }
        } catch (IOException e) {
            LOG.info("the job could not be rescaled", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isAdaptive() throws IOException, InterruptedException {
        Boolean known = possible;
        if (known == null) {
            known = cluster.adaptive();
            possible = known;
        }
        return known;
    }

    private void rescale(PipelineConfig before, PipelineConfig next, Measurement measured)
            throws IOException, InterruptedException {
        Map<String, Integer> bounds = cluster.tasks(job).bounds(Pipeline.stages(next));
        if (bounds.isEmpty()) {
            return;
        }
        cluster.requireResources(job, bounds);
        Double starvation = measured.observed().starvation();
        out.accept("auto    " + ChoiceText.slots(before) + " -> " + ChoiceText.slots(next)
                + (starvation == null
                        ? ""
                        : String.format(Locale.ROOT, ": the trainer waited %.0f %% of its time", 100 * starvation)));
    }

    /** Returns the pipeline with the latest parallelism of the job. */
    PipelineConfig currentConfig() {
        return choice.now();
    }
}
