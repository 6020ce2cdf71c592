/**
 * The figures that stages measure about themselves, and their registration as Flink metrics.
 *
 * <p>Start with {@link io.millrace.metrics.Figures}, the one place that declares each figure. {@link
 * io.millrace.metrics.FigureGroup} registers figures as metrics, {@link io.millrace.metrics.StageMetrics} measures those of a
 * stage, and {@link io.millrace.metrics.FigureValues} holds their values at one moment.
 *
 * <p>Flink measures busy and backpressured time per task. Only the timers of this package separate the stages of a chain.
 *
 * <p>Values that reporters read may be one record old; they are not consistent with each other.
 */
@NullMarked
package io.millrace.metrics;

import org.jspecify.annotations.NullMarked;
