package io.millrace.transform;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The transform that the next stage applies to the same samples. {@code decode} and resizes look ahead to it.
 *
 * @param transform the transform of the next stage
 * @param stageNumber the number of the next stage, which selects its random numbers
 * @param sameTask whether the next stage works in the same task, so that it does not matter which of the two does the work
 * @param next the transform after this one; null when there is none
 */
public record FollowingTransform(
        TransformSpec transform,
        int stageNumber,
        boolean sameTask,
        @Nullable FollowingTransform next) implements Serializable {}
