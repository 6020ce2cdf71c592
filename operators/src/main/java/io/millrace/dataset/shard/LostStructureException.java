package io.millrace.dataset.shard;

import java.io.IOException;

/** While a shard is scanned: what stands at an offset is not what the format puts there, so that no more can be found. */
public final class LostStructureException extends IOException {
    private static final long serialVersionUID = 1;

    private final long offset;

    /**
     * Structure lost at that offset.
     *
     * @param reason what was expected there and what was found
     */
    public LostStructureException(long offset, String reason) {
        super(reason);
        this.offset = offset;
    }

    /** What it means for a shard of that size. */
    public ShardLoss loss(long fileBytes) {
        return new ShardLoss(offset, fileBytes - offset, String.valueOf(getMessage()));
    }
}
