/**
 * The delivery of batches to clients in other processes: the layout of a slot, and the memory that client and server
 * share.
 *
 * <p>Read {@link io.millrace.serve.SlotLayout} first, and {@code docs/develop/serving.md} for the bytes. {@link
 * io.millrace.serve.SharedSlots} is the memory: a file of the client ({@link io.millrace.serve.ClientMemory}) or of the
 * server ({@link io.millrace.serve.ServerFiles}). {@link io.millrace.serve.OwnSlots} serves clients that receive batches
 * through their connection. {@link io.millrace.serve.SlotWriter} completes a slot when its batch is complete.
 *
 * <p>The package may import {@code device} and what lies below it. It knows neither sockets nor Flink.
 */
@NullMarked
package io.millrace.serve;

import org.jspecify.annotations.NullMarked;
