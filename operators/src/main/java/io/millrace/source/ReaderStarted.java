package io.millrace.source;

import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * A reader's first word to the enumerator.
 *
 * @param held the ranges that it restored, in no order
 * @param asked how many more it wants, 0 or more
 */
record ReaderStarted(List<Range> held, int requested) implements SourceEvent {
    ReaderStarted {
        held = List.copyOf(held);
    }
}
