package io.millrace.source;

import java.io.Serializable;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * Consecutive positions of a run that are assigned to one reader. A range is Flink's source split.
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

    /** Returns the number of positions. */
    public long length() {
        return to - from;
    }

    /**
     * Returns the same id for all ranges. Only watermarks of splits would need different ids, and this source has none. For each
     * id that a task meets, Flink 2.3 creates seven metrics and a metric group that stay until the task ends, even
     * when the split is released. Different ids would therefore cost 2.4 KB of heap for each range that was ever read.
     */
    @Override
    public String splitId() {
        return "ranges";
    }
}
