package io.millrace.source;

import java.util.List;

/**
 * The enumerator's part of a checkpoint: the unfinished positions that no reader holds.
 *
 * @param next the first position that was never assigned, 0 or more
 * @param returned ranges below {@code next} that came back from failed readers, disjoint, lowest first
 * @param identity the identity of the run that the positions belong to
 */
public record EnumeratorState(long next, List<Range> returned, RunIdentity identity) {
    public EnumeratorState {
        if (next < 0) {
            throw new IllegalArgumentException("expected a next position of at least 0, found " + next);
        }
        returned = List.copyOf(returned);
    }

    /** Creates the state of a run with unknown settings. */
    EnumeratorState(long next, List<Range> returned) {
        this(next, returned, RunIdentity.UNKNOWN);
    }
}
