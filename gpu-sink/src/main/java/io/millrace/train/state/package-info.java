/**
 * Copies of a training's state, in memory and in files.
 *
 * <p>Read {@link io.millrace.train.state.ModelState} first. It is a copy that does not change while the training
 * continues. It consists of sections that are divided into {@link io.millrace.train.state.StateChunk}s, which Flink
 * stores one by one. {@link io.millrace.train.state.ChunkPool} reuses their memory. {@link
 * io.millrace.train.state.SafeTensors} writes and reads the format of trained models.
 *
 * <p>Any thread may read a copy, even while another thread closes it. A copy that was made on one kind of device can be
 * restored on another kind. A state of an unknown version is refused. The package does not promise that a state of one
 * model can be restored into another model.
 */
@NullMarked
package io.millrace.train.state;

import org.jspecify.annotations.NullMarked;
