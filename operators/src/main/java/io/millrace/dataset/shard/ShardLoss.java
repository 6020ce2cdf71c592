package io.millrace.dataset.shard;

import io.millrace.dataset.BadSampleException;

/**
 * The rest of a shard, from where its structure is lost. How many samples that were nobody can tell, so it counts as one
 * bad sample after the shard's others.
 *
 * @param offset where the structure is lost
 * @param lostBytes from there to the end of the file
 * @param reason what was expected there and what was found
 */
public record ShardLoss(long offset, long lostBytes, String reason) {

    /** The exception for reading it as a sample. */
    public BadSampleException badSample(String file) {
        return new BadSampleException(
                file,
                offset,
                reason + "; the rest of the file, " + lostBytes + " bytes with an unknown number of samples, is lost");
    }
}
