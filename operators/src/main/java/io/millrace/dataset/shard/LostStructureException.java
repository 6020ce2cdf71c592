package io.millrace.dataset.shard;

import java.io.IOException;

/**
 * An exception for a shard whose structure is lost: the bytes at an offset are not the bytes that the format requires
 * there, so a scan cannot find later samples.
 */
public final class LostStructureException extends IOException {
    private static final long serialVersionUID = 1;

    private final long offset;

    /**
     * Creates the exception.
     *
     * @param offset the offset in bytes at which the structure is lost
     * @param reason the content that was expected there, and the content that was found
     */
    public LostStructureException(long offset, String reason) {
        super(reason);
        this.offset = offset;
    }

    /** Returns the loss for a shard of the given size in bytes. */
    public ShardLoss loss(long fileBytes) {
        return new ShardLoss(offset, fileBytes - offset, String.valueOf(getMessage()));
    }
}
