package io.millrace.dataset.shard;

import io.millrace.dataset.BadSampleException;

/**
 * The rest of a shard from the offset at which the shard's structure is lost. The number of samples in the rest is
 * unknown, so the rest counts as one bad sample after the shard's other samples.
 *
 * @param offset the offset in bytes at which the structure is lost
 * @param lostBytes the number of bytes from there to the end of the file
 * @param reason the content that was expected there, and the content that was found
 */
public record ShardLoss(long offset, long lostBytes, String reason) {

    /** Returns the exception for a read of the rest as a sample. */
    public BadSampleException badSample(String file) {
        return new BadSampleException(
                file,
                offset,
                reason + "; the rest of the file, " + lostBytes + " bytes with an unknown number of samples, is lost");
    }
}
