/**
 * The measurement of the speed at which batches reach a device. The path is the same as in training: from {@link
 * io.millrace.device.PinnedSlab} or pageable memory into a {@link io.millrace.device.DeviceBatch}, over the device's
 * two streams. One thread fills the batches and another thread uses them. The command {@code bench-device} prints the
 * results.
 *
 * <p>Read {@link io.millrace.device.bench.DeviceBench} first, which measures each combination of a {@link
 * io.millrace.device.bench.BenchPlan}. {@code BenchRing} fills and uses the batches, and {@code CalibratedWork} stands for
 * the training step.
 *
 * <p>The package does not promise the same figures on another machine, and it does not promise that a training run reaches
 * them.
 */
@NullMarked
package io.millrace.device.bench;

import org.jspecify.annotations.NullMarked;
