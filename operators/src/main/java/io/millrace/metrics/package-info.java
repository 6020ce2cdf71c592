/**
 * What every stage measures of itself, and the one place of the metrics' names.
 *
 * <p>Flink's own busy and backpressured times are per task; in a chain only these timers tell the stages apart.
 */
@NullMarked
package io.millrace.metrics;

import org.jspecify.annotations.NullMarked;
