/**
 * Copies of a training's state, in memory and in files.
 *
 * <p>Read {@link io.millrace.train.state.ModelState} first: a copy that does not change while the training goes on. It consists of
 * sections that are divided into {@link io.millrace.train.state.StateChunk}s, which Flink stores one by one. {@link
 * io.millrace.train.state.ChunkPool} reuses their memory. {@link io.millrace.train.state.SafeTensors} writes and reads the format of
 * trained models.
 *
 * <p>This package imports {@code train.engine}. Any thread may read a copy, also while another thread closes it. A copy of one kind
 * of device can be restored on another. States of an unknown version are refused.
 */
@NullMarked
package io.millrace.train.state;

import org.jspecify.annotations.NullMarked;
