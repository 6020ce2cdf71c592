/**
 * The measurement of how fast batches reach a device, on the same path as in training: {@link
 * io.millrace.device.PinnedSlab} or pageable memory, {@link io.millrace.device.DeviceBatch}, and the device's two
 * streams, fed by one thread and used by another. The command {@code bench-device} prints its results.
 *
 * <p>Read {@link io.millrace.device.bench.DeviceBench} first, which measures each combination of a {@link
 * io.millrace.device.bench.BenchPlan}. {@code BenchRing} fills and uses the batches, and {@code EngineWork} stands for
 * the training step.
 *
 * <p>The package may import {@code device} and the layers below it. It does not promise the same figures on another
 * machine, nor that a training run reaches them.
 */
@NullMarked
package io.millrace.device.bench;

import org.jspecify.annotations.NullMarked;
