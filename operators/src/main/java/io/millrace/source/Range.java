package io.millrace.source;

import java.io.Serializable;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * Consecutive positions of a run, the unit that a reader is given.
 *
 * @param from the first position, 0 or more
 * @param to the position after the last, greater than {@code from}
 */
public record Range(long from, long to) implements SourceSplit, Serializable {
    public Range {
        if (from < 0 || to <= from) {
            throw new IllegalArgumentException("a range needs 0 <= from < to, found from " + from + " and to " + to);
        }
    }

    /** How many positions there are. */
    public long length() {
        return to - from;
    }

    /**
     * The same for all ranges: only a watermark, of which there is none, would need to tell them apart. Flink 2.3 makes seven
     * metrics for each id that a task meets, and a group for them that stays until the task ends, also when the split is
     * released: ids of their own would cost 2.4 KB of heap for each range that was ever read.
     */
    @Override
    public String splitId() {
        return "ranges";
    }
}
