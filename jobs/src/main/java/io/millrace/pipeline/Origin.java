package io.millrace.pipeline;

import io.millrace.source.Beginning;
import java.util.Optional;

/**
 * What a run goes on from.
 *
 * @param checkpoint of Flink, to be restored: its folder or address; empty: none
 * @param position the first position when there is no checkpoint; all before count as done
 * @param others whether a checkpoint of another run is taken
 */
public record Origin(Optional<String> checkpoint, long position, Beginning.Others others) {
    /** From nothing. */
    public static final Origin FRESH = new Origin(Optional.empty(), 0, Beginning.Others.REFUSED);
}
