package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.SlotsConfig;
import io.millrace.config.SlotsConfig.Meaning;
import io.millrace.rest.ClusterRest;
import io.millrace.sample.Counted;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;

/**
 * The slots of a job on a cluster whose pipeline file has no {@code parallelism}: those that are free when it is submitted. Under
 * the adaptive scheduler, which runs a job with the slots that exist, it may also use slots that are added later. Pure, except
 * for {@link #ofCluster}.
 *
 * @param slots the slots of the job
 * @param line the sentence for the user
 */
record OpenSlots(SlotsConfig slots, String line) {
    /** A job may grow to this multiple of the free slots. More would need more memory for rows that wait for their turn. */
    private static final int GROWTH = 4;

    private static final int LEAST_GROWTH = 16;

    /** Returns whether a pipeline leaves its slots open: its file has no number, and no measurement chooses one. */
    static boolean leftBy(PipelineConfig config) {
        return config.slots().meaning() == Meaning.CORES
                && !config.slots().auto().choosesAnything();
    }

    /** Returns the pipeline with the free slots of a cluster, and prints the choice; unchanged when it leaves no slots open. */
    static PipelineConfig ofCluster(PipelineConfig config, ClusterRest rest, PrintStream text)
            throws IOException, InterruptedException {
        if (!leftBy(config)) {
            return config; // the cluster need not be asked
        }
        Optional<OpenSlots> open = of(config, ClusterSlots.free(rest, config).number(), rest.adaptive());
        text.println("slots   "
                + open.map(OpenSlots::line)
                        .orElseGet(() -> "no slot of the cluster is free: the job uses " + coresOfClient(config)));
        return open.map(slots -> config.with(slots.slots())).orElse(config);
    }

    /** Returns the words for the slots of a job when those of the cluster are unknown. */
    static String coresOfClient(PipelineConfig config) {
        return Counted.of(config.slots().parallelism(), "slot")
                + ", the cores of this machine (parallelism is not set)";
    }

    /**
     * Returns the slots of a job; empty when the file has a number or a measurement chooses it, and when no slot is free.
     *
     * @param free the number of free slots that the job could use
     * @param adaptive whether the cluster has the adaptive scheduler
     */
    static Optional<OpenSlots> of(PipelineConfig config, int free, boolean adaptive) {
        SlotsConfig slots = config.slots();
        if (!leftBy(config) || (free < 1 && !adaptive)) {
            return Optional.empty();
        }
        String found = Counted.of(free, "slot") + (free == 1 ? " is free" : " are free");
        if (!adaptive) {
            return Optional.of(new OpenSlots(
                    slots.withParallelism(free, Meaning.GIVEN),
                    found + ": the job uses all of them (parallelism is not set)"));
        }
        int most = Math.max(LEAST_GROWTH, GROWTH * free);
        return Optional.of(new OpenSlots(
                slots.withParallelism(most, Meaning.MOST),
                free == 0
                        ? "no slot is free: the job uses the slots that become free, up to " + most
                                + " (parallelism is not set)"
                        : found + ": the job uses all of them, and up to " + most
                                + " when TaskManagers are added (parallelism is not set)"));
    }
}
