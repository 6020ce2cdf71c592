package io.millrace.train.spec;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The updates of the parameters.
 *
 * @param accumulate the number of batches whose gradients make one update, at least 1
 * @param clipNorm the largest norm of the gradients of an update, above 0; larger gradients are scaled down to it; null
 *     for no limit
 */
public record Updates(int accumulate, @Nullable Double clipNorm) implements Serializable {
    /** One update for each batch, without clipping. */
    public static final Updates OF_EACH_BATCH = new Updates(1, null);

    public Updates {
        if (accumulate < 1) {
            throw new IllegalArgumentException("an update needs at least 1 batch, found accumulate " + accumulate);
        }
        if (clipNorm != null && !(clipNorm > 0)) {
            throw new IllegalArgumentException("expected a clip_norm above 0, found " + clipNorm);
        }
    }
}
