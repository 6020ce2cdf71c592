/**
 * The training step: models, losses, optimizers and the device's transforms on DJL's PyTorch engine.
 *
 * <p>{@link io.millrace.train.TrainStep#open} is the way in. Networks are functions of named tensors; weights, gradients,
 * moments and running statistics lie in memory of ours, in one block each up to 2 GiB, which the engine's tensors view: an update is one
 * call of PyTorch's fused kernel (DJL's optimizers are 4 to 10 times slower), and saving them is copying blocks.
 *
 * <p>The same specification and batches give the same parameters, bit for bit, in every run with the same number of
 * intra-operation threads on the same kind of processor, and beside other trainers.
 *
 * <p>{@link io.millrace.train.TrainStep#snapshot} copies all that a training needs to go on, {@link
 * io.millrace.train.TrainStep#restore} goes on from there to the same bits. Random numbers are functions of the seed and
 * the step, PyTorch's own included.
 *
 * <p>The only package that imports {@code ai.djl}. One trainer belongs to one thread; several trainers may live in one
 * JVM.
 */
@NullMarked
package io.millrace.train;

import org.jspecify.annotations.NullMarked;
