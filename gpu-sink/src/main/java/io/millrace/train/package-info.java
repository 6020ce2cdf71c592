/**
 * The training step: a model in training on DJL's PyTorch engine.
 *
 * <p>Read {@link io.millrace.train.TrainStep} first; {@link io.millrace.train.TrainStep#open} opens one. {@link
 * io.millrace.train.DjlTrainStep} connects the inputs and targets ({@code train.input}), the model ({@code
 * train.network}), the loss ({@code train.loss}) and the updates ({@code train.update}). Copies of the state ({@code
 * train.state}) have one form for all devices, so a training can continue on another kind of device.
 *
 * <p>The same specification and batches give the same parameters, bit for bit, in every run with the same number of
 * intra-operation threads on the same kind of CPU, even when other trainers run at the same time. A GPU gives the same
 * bits only with {@link io.millrace.train.spec.GpuKernels#REPRODUCIBLE}. On a device that works asynchronously, no part of
 * a step waits for it; its loss arrives later ({@link io.millrace.train.Pending}). A training that is restored from
 * {@link io.millrace.train.TrainStep#snapshot} continues with the same bits.
 *
 * <p>A trainer belongs to one thread; several
 * trainers may live in one JVM.
 */
@NullMarked
package io.millrace.train;

import org.jspecify.annotations.NullMarked;
