package io.millrace.pipeline;

import io.millrace.sample.Split;
import io.millrace.transform.FollowingTransform;
import io.millrace.transform.TransformSpec;
import org.jspecify.annotations.Nullable;

/**
 * One transform's place in the graph.
 *
 * @param name as the web UI, the metrics and the summary name it
 * @param split whose samples it applies to
 * @param number its stream of random numbers
 * @param parallelism its subtasks
 * @param newChain whether it begins a task of its own instead of running in the chain of the stage before
 * @param following the transform that is next for the same samples, null for the last
 */
record Stage(
        String name,
        TransformSpec transform,
        Split split,
        int number,
        int parallelism,
        boolean newChain,
        @Nullable FollowingTransform following) {}
