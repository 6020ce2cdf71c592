/**
 * The inputs and targets of a training step, made from batches on the host or on the device.
 *
 * <p>Read {@link io.millrace.train.input.ModelInputs} first, which makes all inputs of a model, and {@link
 * io.millrace.train.input.Targets}. {@link io.millrace.train.input.DevicePlan} sorts the device's transforms by the
 * values that they change: the bytes of pictures, floats, class numbers, or whole batches that are mixed. On the host,
 * fused kernels compute inputs ({@link io.millrace.train.input.HostInput}). On a device whose memory the CPU cannot
 * read, operations on whole tensors compute them ({@link io.millrace.train.input.TensorInput}, {@link
 * io.millrace.train.input.TensorTargets}); the results of both differ only by rounding. On such a device, a class
 * number that is out of range is reported with the step's result ({@link io.millrace.train.input.LateChecks}).
 *
 * <p>The objects of this package hold memory for one batch, and belong to one thread. Random numbers are functions of
 * the seed and the step or the sample.
 */
@NullMarked
package io.millrace.train.input;

import org.jspecify.annotations.NullMarked;
