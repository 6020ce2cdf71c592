/**
 * The files that a run writes while it trains, and the parts of its state that come from them: logs that are cut to their length
 * in a checkpoint, the list of bad samples, the ledger, and the curves for TensorBoard.
 *
 * <p>Read {@link io.millrace.sink.files.AppendLog} first. The package knows nothing of the operators in {@code sink}, which use
 * it.
 */
@NullMarked
package io.millrace.sink.files;

import org.jspecify.annotations.NullMarked;
