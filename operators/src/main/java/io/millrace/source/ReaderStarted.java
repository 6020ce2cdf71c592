package io.millrace.source;

import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * The first event that a reader sends to the enumerator.
 *
 * @param held the ranges that the reader restored, in no order
 * @param requested the number of further ranges that the reader requests, 0 or more
 */
record ReaderStarted(List<Range> held, int requested) implements SourceEvent {
    ReaderStarted {
        held = List.copyOf(held);
    }
}
