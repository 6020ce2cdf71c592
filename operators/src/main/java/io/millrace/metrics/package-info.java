/**
 * The figures that stages measure about themselves, and their registration as Flink metrics.
 *
 * <p>Start with {@link io.millrace.metrics.Figures}, the one place that declares each figure. {@link
 * io.millrace.metrics.FigureGroup} registers figures as metrics, {@link io.millrace.metrics.StageMetrics} measures those of a
 * stage, and {@link io.millrace.metrics.FigureValues} holds what was read of them.
 *
 * <p>Flink's own busy and backpressured times are those of a task. Only these timers separate the stages of a chain.
 *
 * <p>May import {@code trace}, and of Flink only its metrics. Values that reporters read may be one record old; they are not
 * consistent with each other.
 */
@NullMarked
package io.millrace.metrics;

import org.jspecify.annotations.NullMarked;
