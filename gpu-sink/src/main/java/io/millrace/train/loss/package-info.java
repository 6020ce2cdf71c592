/**
 * Losses: functions that compare a model's outputs with the targets.
 *
 * <p>Read {@link io.millrace.train.loss.Loss} first. {@link io.millrace.train.loss.LossFactory} is the service
 * interface by which Millrace's own losses and those of other jars are found; {@link io.millrace.train.loss.Losses}
 * finds them. {@link io.millrace.train.loss.Weight} is the weight of a batch among the batches of one update.
 *
 * <p>Losses are stateless. They do not promise the same bits on different devices: results agree within rounding.
 */
@NullMarked
package io.millrace.train.loss;

import org.jspecify.annotations.NullMarked;
