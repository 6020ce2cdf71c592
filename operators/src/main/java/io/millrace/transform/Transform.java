package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;

/**
 * One stage of the data servers' work. An instance is made in the task that uses it and serves one thread, so it may
 * keep scratch memory between samples; its result depends on the sample and the random numbers alone. The arrays of the
 * fields that it sets may be used again for its next sample: whoever keeps a sample longer copies them.
 */
public interface Transform {
    /**
     * Changes the sample in place.
     *
     * @param random the stage's numbers for this sample and epoch, already reset
     * @throws BadSampleException when the sample is bad: it will be quarantined
     */
    void apply(Sample sample, SampleRandom random) throws BadSampleException;

    /**
     * Said once before the first sample: in which of the stage's slots this is, from 0. Of no consequence for what becomes of
     * samples.
     */
    default void inSlot(int slot) {}

    /** The parameters drawn by the latest {@link #apply}, for people ("crop 12,40 180x200"); empty where none are. */
    default String drawn() {
        return "";
    }
}
