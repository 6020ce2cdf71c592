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
 * Gives a running job the slots that its measurements call for, on a cluster whose jobs can be given others as they run
 * (adaptive scheduler). Used by one thread.
 */
final class LiveRescale {
    private static final Logger LOG = LoggerFactory.getLogger(LiveRescale.class);

    private final ClusterRest cluster;
    private final String job;
    private final LiveChoice choice;
    private final Consumer<String> out;

    private @Nullable Boolean possible;

    /**
     * For a job with checkpoints: without any it would begin anew.
     *
     * @param out is told of each change
     */
    LiveRescale(ClusterRest cluster, String job, LiveChoice choice, Consumer<String> out) {
        this.cluster = cluster;
        this.job = job;
        this.choice = choice;
        this.out = out;
    }

    /** Looks whether another number of slots is called for. */
    void look(Measurement measured, JobReading reading) {
        try {
            if (isPossible()) {
                PipelineConfig before = choice.now();
                Optional<PipelineConfig> next = choice.next(measured, reading.tasks());
                if (next.isPresent()) {
                    rescale(before, next.get(), measured);
                }
            }
        } catch (IOException e) {
            LOG.info("whether the job needs other slots was not seen, or it did not get them", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isPossible() throws IOException, InterruptedException {
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

    /** What the job was last given. */
    PipelineConfig now() {
        return choice.now();
    }
}
