/**
 * The training step: models, losses, optimizers and the device's transforms on DJL's PyTorch engine.
 *
 * <p>{@link io.millrace.train.TrainStep#open} is the way in. Networks are functions of named tensors; weights, gradients,
 * moments and running statistics lie in memory of ours, in one block each up to 2 GiB, which the engine's tensors view: an update is one
 * call of PyTorch's fused kernel (DJL's optimizers are 4 to 10 times slower), and saving them is copying blocks.
 *
 * <p>The same specification and batches give the same parameters, bit for bit, in every run with the same number of
 * intra-operation threads on the same kind of processor, and beside other trainers. On a GPU that takes {@link
 * io.millrace.train.spec.Kernels#REPRODUCIBLE}.
 *
 * <p><b>On a device</b> whose memory the processor does not reach, the same blocks are the device's, and inputs and targets
 * are made there by operations on whole tensors ({@link io.millrace.train.input.TensorInput}, {@link
 * io.millrace.train.input.TensorTargets}) instead of the host's fused kernels ({@link io.millrace.train.input.HostInput}); results
 * agree within rounding. Nothing of a training step waits for the device: losses come later ({@link
 * io.millrace.train.LateResults}). Copies of the state have one form, so a training that was begun on one kind of device
 * goes on on the other.
 *
 * <p>{@link io.millrace.train.TrainStep#snapshot} copies all that a training needs to go on, {@link
 * io.millrace.train.TrainStep#restore} goes on from there to the same bits. Random numbers are functions of the seed and
 * the step, PyTorch's own included.
 *
 * <p>The only package that imports {@code ai.djl}, but for {@code device}, which knows where the engine's tensors are. One trainer belongs to one thread; several trainers may live in one
 * JVM.
 */
@NullMarked
package io.millrace.train;

import org.jspecify.annotations.NullMarked;
