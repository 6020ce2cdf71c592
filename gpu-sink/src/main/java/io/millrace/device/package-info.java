/**
 * Where batches live while they are trained on: preallocated memory of a device, filled row by row.
 *
 * <p>{@link io.millrace.device.Device} is what a device can do: memory, page-locked memory, streams and events.
 * {@link io.millrace.device.CudaDevice} is an NVIDIA GPU through the driver alone (JCuda's Driver API; nobody else may import
 * it), {@link io.millrace.device.HostDevice} the twin that needs no GPU. Both pass the same tests, the GPU's against a
 * driver without a device that the tests build. {@link io.millrace.device.DeviceBatch} knows neither.
 *
 * <p><b>Whose memory.</b> On a GPU batches lie in memory that the training engine allocated ({@link
 * io.millrace.device.EngineMemory}): the driver copies to a tensor's address, the engine computes on the tensor. {@link
 * io.millrace.device.EngineTensors} is the one bridge between the two, and checks it in both directions when a device is
 * opened. The engine's stream is the legacy default stream of the primary context; ours do not wait for it, events do.
 *
 * <p><b>Who waits for whom.</b> The operator's thread asks for copies on the device's stream of copies, the trainer's for
 * steps on the engine's; events order the two on the device, so that batch k+1 is copied while step k is computed, and
 * neither thread waits. What a copy reads stays untouched until an event after it has passed: the sink keeps micro-batches
 * open so long.
 *
 * <p><b>Who closes.</b> Whoever opened; a device after all that it made. Freeing waits for work that uses the memory, and
 * goes on when some of it fails.
 *
 * <p>Knows nothing of Flink.
 */
@NullMarked
package io.millrace.device;

import org.jspecify.annotations.NullMarked;
