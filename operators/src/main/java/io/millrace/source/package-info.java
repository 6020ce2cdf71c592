/**
 * The Flink source of a run, which assigns ranges of positions to readers; the readers emit the samples at those
 * positions.
 *
 * <p>Read {@link io.millrace.source.DatasetSource} first, then {@link io.millrace.source.RangeWindow}, which decides
 * which range a reader gets. {@link io.millrace.source.RangeEnumerator} and {@link io.millrace.source.RangeReader}
 * connect these decisions to Flink, and {@link io.millrace.source.PositionReader} reads the sample at a position.
 * In a served run, the sink chooses the position while the job runs: {@link io.millrace.source.SeekBoard} explains how, and
 * {@link io.millrace.source.ServedEnumerator} takes the place of the {@code RangeEnumerator}. Three facts about Flink 2.3 shape the package:
 *
 * <ul>
 *   <li>After a failure the default scheduler restores the readers but not the enumerator. It only gives the enumerator back
 *       the ranges that the enumerator assigned since the checkpoint. So a reader's state holds the rest of each of its
 *       ranges, and the enumerator's state holds only the unfinished positions that no reader has. The two states never
 *       overlap, even if only one of them is restored.
 *   <li>Restored ranges go straight back to readers, and the enumerator does not see them. So a reader first reports
 *       the ranges that it holds, and the enumerator assigns nothing before every reader has reported: until then the
 *       lowest unfinished position, and with it the window, is unknown. Flink can also report restored splits to the
 *       enumerator ({@code SupportsSplitReassignmentOnRecovery}). This package does not use that feature: a second
 *       failure before the next checkpoint would report the same range twice, perhaps after another reader has finished
 *       it.
 *   <li>A split request, its answer, and the report that a range is finished are one message each. Here that report also
 *       requests the next range, which leaves two messages for each range.
 * </ul>
 *
 * <p>There are no watermarks of time, and splits are not paused to align them: samples are ordered by position and not by
 * time, and the window limits the distance between readers.
 *
 * <p>The package promises neither an exact order of the emitted positions nor correct restarts from checkpoints that start
 * unaligned.
 */
@NullMarked
package io.millrace.source;

import org.jspecify.annotations.NullMarked;
