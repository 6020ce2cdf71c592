package io.millrace.source;

import java.util.List;

/**
 * What no reader has: the enumerator's part of a checkpoint.
 *
 * @param next the first position that was never handed out
 * @param returned ranges below {@code next} that came back, disjoint, lowest first
 */
public record EnumeratorState(long next, List<Range> returned) {
    /** The state of a run that has not begun. */
    public static final EnumeratorState START = new EnumeratorState(0, List.of());

    public EnumeratorState {
        if (next < 0) {
            throw new IllegalArgumentException("the next position is 0 or more, found " + next);
        }
        returned = List.copyOf(returned);
    }
}
