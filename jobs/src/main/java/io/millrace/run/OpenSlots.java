package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.SlotsConfig;
import io.millrace.config.SlotsConfig.Meaning;
import io.millrace.sample.Counted;
import java.util.Optional;

/**
 * The slots of a job on a cluster whose pipeline file has no {@code parallelism}: those that are free when it is submitted. Under
 * the adaptive scheduler, which runs a job with the slots that exist, it may also use slots that are added later. Pure.
 *
 * @param slots the slots of the job
 * @param line the sentence for the user
 */
record OpenSlots(SlotsConfig slots, String line) {
    /** A job may grow to this multiple of the free slots. More would need more memory for rows that wait for their turn. */
    private static final int GROWTH = 4;

    private static final int LEAST_GROWTH = 16;

    /**
     * Returns the slots of a job; empty when the file has a number or a measurement chooses it, and when no slot is free.
     *
     * @param free the number of free slots that the job could use
     * @param adaptive whether the cluster has the adaptive scheduler
     */
    static Optional<OpenSlots> of(PipelineConfig config, int free, boolean adaptive) {
        SlotsConfig slots = config.slots();
        if (slots.meaning() != Meaning.CORES || slots.auto().choosesAnything() || (free < 1 && !adaptive)) {
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
                found + ": the job uses all of them, and up to " + most
                        + " when TaskManagers are added (parallelism is not set)"));
    }
}
