/**
 * The source of a run: hands ranges of positions to readers, which emit the samples that stand there.
 *
 * <p>{@link io.millrace.source.RangeWindow} decides, {@link io.millrace.source.RangeEnumerator} and
 * {@link io.millrace.source.RangeReader} tell Flink. Three facts of Flink 2.3 shape the package:
 *
 * <ul>
 *   <li>After a failure the default scheduler restores readers, but not the enumerator: that one is only handed back
 *       what it assigned since the checkpoint. So a reader's state holds what is left of each of its ranges, and the
 *       enumerator's state only what no reader has. The two never overlap, whichever of them is restored.
 *   <li>Restored ranges go straight back to readers, unseen by the enumerator. So a reader's first word is which ranges
 *       it holds, and nothing is handed out before every reader has spoken: until then the lowest unfinished position,
 *       and with it the window, is unknown. Flink can also report restored splits to the enumerator for reassignment
 *       ({@code SupportsSplitReassignmentOnRecovery}); a second failure before the next checkpoint then reports the same
 *       range twice, perhaps after another reader has finished it, so that way is not taken.
 *   <li>A split request, its answer and the word that a range is finished are each a message. The last implies the
 *       first here, which leaves two messages per range.
 * </ul>
 *
 * <p>There are no watermarks and no pausing of splits for their alignment: positions order the samples, time does not,
 * and the window bounds how far readers drift apart.
 */
@NullMarked
package io.millrace.source;

import org.jspecify.annotations.NullMarked;
