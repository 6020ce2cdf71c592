/**
 * PyTorch in this process: its native libraries, its start, and its settings for the whole process or one thread.
 *
 * <p>Read {@link io.millrace.train.engine.TrainingRuntime} first, which starts the engine. {@link
 * io.millrace.train.engine.EngineNatives} compares the versions of the native libraries before they are loaded, because libraries
 * of different versions crash. {@link io.millrace.train.engine.Libtorch} calls functions that DJL does not offer; {@link
 * io.millrace.train.engine.ComputePrecision} uses them for precision and reproducible kernels. {@link
 * io.millrace.train.engine.TrainingMemory} is a device's memory as a training uses it.
 *
 * <p>The package does not promise that libtorch versions other than 2.7 to 2.13 have the functions that it calls.
 */
@NullMarked
package io.millrace.train.engine;

import org.jspecify.annotations.NullMarked;
