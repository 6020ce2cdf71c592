package io.millrace.transform;

import java.io.Serializable;

/**
 * The transform directly behind another, on the same samples: what {@code decode} looks ahead to.
 *
 * @param stageNumber its stream of random numbers
 */
public record FollowingTransform(TransformSpec transform, int stageNumber) implements Serializable {}
