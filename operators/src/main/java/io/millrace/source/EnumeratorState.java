package io.millrace.source;

import java.util.List;

/**
 * What no reader has: the enumerator's part of a checkpoint.
 *
 * @param next the first position that was never handed out
 * @param returned ranges below {@code next} that came back, disjoint, lowest first
 * @param identity whose positions they are
 */
public record EnumeratorState(long next, List<Range> returned, RunIdentity identity) {
    /** The state of a run that has not begun. */
    public static final EnumeratorState START = RunStart.START.initialState();

    public EnumeratorState {
        if (next < 0) {
            throw new IllegalArgumentException("the next position is 0 or more, found " + next);
        }
        returned = List.copyOf(returned);
    }

    /** Of a run that nothing is known of. */
    EnumeratorState(long next, List<Range> returned) {
        this(next, returned, RunIdentity.UNKNOWN);
    }
}
