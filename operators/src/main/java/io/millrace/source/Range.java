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

    @Override
    public String splitId() {
        return from + "-" + to;
    }
}
