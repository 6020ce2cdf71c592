/**
 * Updates of a network's parameters: optimizers, learning rate schedules, accumulation and clipping.
 *
 * <p>Read {@link io.millrace.train.update.ParameterUpdates} first, which makes the updates of a training. {@link
 * io.millrace.train.update.OptimizerFactory} is the service interface by which Millrace's own optimizers and those of
 * other jars are found; {@link io.millrace.train.update.Optimizer} is an optimizer with its constants, and {@link
 * io.millrace.train.update.UpdateRule} is the optimizer of one network. Millrace's own optimizers are one call of
 * PyTorch's fused kernel for all weights ({@code FusedOptimizer}), because DJL's optimizers are 4 to 10 times slower.
 * {@link io.millrace.train.update.UpdatePlan} decides which batches make an update.
 *
 * <p>The package belongs to the trainer's thread, and nothing in it waits for the device, except where replicas wait
 * for each other anyway.
 */
@NullMarked
package io.millrace.train.update;

import org.jspecify.annotations.NullMarked;
