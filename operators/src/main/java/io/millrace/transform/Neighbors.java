package io.millrace.transform;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The transforms beside a transform in a job.
 *
 * @param preceding the transform directly before it in the same task; null when there is none
 * @param following the transform directly after it, also in another task; null when there is none
 */
public record Neighbors(
        @Nullable TransformSpec preceding, @Nullable FollowingTransform following) implements Serializable {
    /** The neighbors of a transform that is alone. */
    public static final Neighbors NONE = new Neighbors(null, null);
}
