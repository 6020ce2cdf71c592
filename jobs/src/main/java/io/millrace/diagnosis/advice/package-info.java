/**
 * Advice on a pipeline: the changes that make it faster, each with its predicted speed.
 *
 * <p>Read {@link io.millrace.diagnosis.advice.Advisor} first. It applies all rules and sorts their proposals. A {@link
 * io.millrace.diagnosis.advice.Rule} looks for one kind of change, and describes its effect on the costs of the stages. The
 * {@link io.millrace.diagnosis.CapacityModel} predicts the speed with these costs. The input of a rule is a {@link
 * io.millrace.diagnosis.advice.Situation}.
 *
 * <p>Everything here is pure: rules receive values and return values. It uses {@code config}, {@code option}, {@code
 * transform} and {@code train.spec}. It starts no job and reads no data.
 *
 * <p>A prediction is only as good as the measurement behind it. Advice without a prediction may gain nothing.
 */
@NullMarked
package io.millrace.diagnosis.advice;

import org.jspecify.annotations.NullMarked;
