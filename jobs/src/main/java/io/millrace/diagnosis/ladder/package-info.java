/**
 * The caching ladder: the pipeline's speed with its samples cached at one border between stages after another, from the
 * device down to nothing cached. The drop between two rungs is charged to the stage between them.
 *
 * <p>{@link io.millrace.diagnosis.ladder.Ladder} is the pure core; {@link io.millrace.diagnosis.ladder.LadderRun} measures.
 * A rung caches many samples, as their sizes differ. Caches live in this process, so a ladder needs a Flink in it.
 *
 * <p>{@code decode} looks ahead to a crop behind it and leaves out what that does not take. With a cache between the two
 * the crop gets whole pictures, as it would without looking ahead: what the two save together shows in the drop of decode.
 */
@NullMarked
package io.millrace.diagnosis.ladder;

import org.jspecify.annotations.NullMarked;
