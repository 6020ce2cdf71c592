/**
 * The delivery of batches to clients in other processes: the connections, the layout of a buffer, and the memory that client
 * and server share.
 *
 * <p>Read {@code docs/develop/serving.md} first, for the bytes. {@link io.millrace.serve.ServeEndpoint} is the place where
 * clients connect, {@link io.millrace.serve.SinkPlace} the place of a sink in another process, {@link
 * io.millrace.serve.Client} a connected client, and {@link io.millrace.serve.Message} a message. {@link
 * io.millrace.serve.BufferLayout} is the layout of a buffer. {@link io.millrace.serve.SharedBuffers} is memory of both
 * processes: a file of the client ({@link io.millrace.serve.ClientMemory}) or of the server ({@link
 * io.millrace.serve.ServerFile}). {@link io.millrace.serve.OwnBuffers} serves clients that receive batches through
 * their connection. {@link io.millrace.serve.BufferWriter} completes a buffer when its batch is complete.
 *
 * <p>The package knows nothing of Flink: the operator that delivers is in {@code sink}.
 */
@NullMarked
package io.millrace.serve;

import org.jspecify.annotations.NullMarked;
