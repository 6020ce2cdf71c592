package io.millrace.source;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * A reader has emitted all of a range.
 *
 * @param range as it was assigned, or as the reader restored it
 * @param asked how many ranges it wants for it: 0 or 1
 */
record RangeFinished(Range range, int requested) implements SourceEvent {}
