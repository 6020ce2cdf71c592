/**
 * The caching ladder: the throughput of a pipeline when its samples are cached after different stages, from a cache
 * on the device to no cache at all. The drop between two rungs is the cost of the stage between them.
 *
 * <p>Read {@link io.millrace.diagnosis.ladder.Ladder} first; it is the pure core. {@link
 * io.millrace.diagnosis.ladder.LadderRun} measures the rungs. A rung caches many samples, because their sizes differ. The
 * caches are in this process, so a ladder needs Flink in the same process.
 *
 * <p>The package builds on {@code io.millrace.diagnosis} and {@code io.millrace.diagnosis.advice}, on the packages that
 * plan and start pipelines, and on the trainer, which it also runs without Flink.
 *
 * <p>A ladder does not promise that the cost of every stage is separate. The stage {@code decode} looks ahead to a crop
 * that follows, and skips the pixels that the crop drops. With a cache between these two stages the crop receives whole
 * images. Therefore the drop of {@code decode} is smaller by the time that the two stages save together.
 */
@NullMarked
package io.millrace.diagnosis.ladder;

import org.jspecify.annotations.NullMarked;
