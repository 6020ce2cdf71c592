/**
 * The device that training runs on: preallocated batches in its memory, filled row by row, and the streams that copy to
 * them.
 *
 * <p>Read {@link io.millrace.device.Device} first: memory, page-locked memory, streams and events.
 * {@link io.millrace.device.CudaDevice} is an NVIDIA GPU through the driver alone (JCuda's Driver API). {@link
 * io.millrace.device.HostDevice} is its counterpart that needs no GPU. {@link io.millrace.device.AsynchronousDevice}
 * rehearses on the host how a GPU works beside the program. All three pass the same tests. Those of the GPU run against a
 * substitute for the driver, which the tests build and which needs no GPU. {@link io.millrace.device.DeviceBatch} works
 * with each of them. {@link io.millrace.device.BufferDevice} is the host for batches that another process reads: their rows
 * are put into {@link io.millrace.device.BufferMemory}.
 *
 * <p><b>Start.</b> {@code CudaLibrary} loads the driver and JCuda's library. {@link
 * io.millrace.device.TrainerGpu} chooses the GPU of a trainer and claims it, so that no other trainer of the machine
 * uses it.
 *
 * <p><b>Memory.</b> On a GPU the training engine allocates the memory of batches ({@link
 * io.millrace.device.EngineMemory}): the driver copies to a tensor's address, and the engine computes on the tensor.
 * {@link io.millrace.device.EngineTensors} connects the two, and is checked in both directions when a device is opened.
 * The engine's stream is the legacy default stream of the primary context; Millrace's streams wait for it through
 * events only.
 *
 * <p><b>Threads.</b> The operator's thread enqueues copies on the stream of copies, the trainer's thread enqueues steps
 * on the engine's stream. Events order the two on the device, so batch k+1 is copied while step k is computed, and
 * neither thread waits. The source of a copy must stay untouched until an event after the copy has passed.
 *
 * <p><b>Closing.</b> Whoever opens something closes it; a device is closed after everything that it made. Before memory is
 * freed, the device waits for the work that uses it. If one part cannot be freed, the other parts are still freed.
 *
 * <p>The package does not promise that a buffer of a closed block is caught: such a buffer reads freed memory.
 */
@NullMarked
package io.millrace.device;

import org.jspecify.annotations.NullMarked;
