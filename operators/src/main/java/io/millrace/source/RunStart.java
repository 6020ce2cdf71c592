package io.millrace.source;

import java.io.Serializable;
import java.util.List;

/**
 * Where a run begins, and which checkpoints it may begin from.
 *
 * @param position the first position when there is no checkpoint; all before count as done
 * @param identity of this run, kept in its checkpoints
 * @param others what is done with a checkpoint of another run
 */
public record RunStart(long position, RunIdentity identity, OtherRuns others) implements Serializable {
    /** At the start of a run that nothing is known of. */
    public static final RunStart START = new RunStart(0, RunIdentity.UNKNOWN, OtherRuns.REFUSED);

    /** Checkpoints of other runs: other data, another order, other transforms. */
    public enum OtherRuns {
        REFUSED,
        ACCEPTED
    }

    public RunStart {
        if (position < 0) {
            throw new IllegalArgumentException("a run begins at position 0 or later, found " + position);
        }
    }

    /** The state of an enumerator that begins here. */
    EnumeratorState initialState() {
        return new EnumeratorState(position, List.of(), identity);
    }

    /**
     * Checks that a checkpoint may be gone on from.
     *
     * @throws IllegalArgumentException when it is another run's, with what differs
     */
    void requireSameRun(RunIdentity checkpoint) {
        List<String> differences = identity.differencesTo(checkpoint);
        if (others == OtherRuns.REFUSED && !differences.isEmpty()) {
            throw new IllegalArgumentException(refusal(differences));
        }
    }

    /** What the user is told of these {@linkplain RunIdentity#differencesTo differences}. */
    public static String refusal(List<String> differences) {
        return "the checkpoint is of another run, its positions mean other samples:\n  "
                + String.join("\n  ", differences);
    }
}
