package io.millrace.source;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * The event that a reader sends when it has emitted all of a range.
 *
 * @param range the range as it was assigned, or as the reader restored it
 * @param requested the number of ranges that the reader requests in its place, 0 or 1
 */
record RangeFinished(Range range, int requested) implements SourceEvent {}
