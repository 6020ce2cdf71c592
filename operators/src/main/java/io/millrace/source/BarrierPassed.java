package io.millrace.source;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * The event that a reader sends after it has stored its part of a checkpoint. It follows Flink's own message about this on the same
 * way, so that Flink delivers what is sent to the reader from now on.
 *
 * @param checkpoint the number of the checkpoint
 */
record BarrierPassed(long checkpoint) implements SourceEvent {}
