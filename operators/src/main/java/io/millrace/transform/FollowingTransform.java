package io.millrace.transform;

import java.io.Serializable;

/**
 * The transform that the next stage applies to the same samples. {@code decode} looks ahead to it.
 *
 * @param transform the transform of the next stage
 * @param stageNumber the number of the next stage, which selects its random numbers
 * @param sameTask whether the next stage works in the same task, so that it does not matter which of the two does the work
 */
public record FollowingTransform(TransformSpec transform, int stageNumber, boolean sameTask) implements Serializable {}
