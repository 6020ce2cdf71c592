package io.millrace.source;

import java.io.Serializable;
import java.util.List;

/**
 * The position at which a run starts, and the checkpoints that it may continue from.
 *
 * @param position the first position when there is no checkpoint, 0 or more; all positions before it count as finished
 * @param identity the identity of this run, which its checkpoints store
 * @param others the treatment of a checkpoint of another run
 */
public record RunStart(long position, RunIdentity identity, OtherRuns others) implements Serializable {
    /** The treatment of a checkpoint of another run: one with other data, another order or other transforms. */
    public enum OtherRuns {
        REFUSED,
        ACCEPTED
    }

    public RunStart {
        if (position < 0) {
            throw new IllegalArgumentException("expected a first position of at least 0, found " + position);
        }
    }

    /** Returns the state of an enumerator that starts at this position. */
    EnumeratorState initialState() {
        return new EnumeratorState(position, List.of(), identity);
    }

    /**
     * Checks that the run may continue from a checkpoint.
     *
     * @param step the first training step of which nothing has been read, see {@link RunIdentity#differencesTo}
     * @throws IllegalArgumentException when the checkpoint belongs to another run; the message lists the settings that
     *     differ
     */
    void requireSameRun(RunIdentity checkpoint, long step) {
        List<String> differences = identity.differencesTo(checkpoint, step);
        if (others == OtherRuns.REFUSED && !differences.isEmpty()) {
            throw new IllegalArgumentException(refusal(differences));
        }
    }

    /** Returns the message for these {@linkplain RunIdentity#differencesTo differences}. */
    public static String refusal(List<String> differences) {
        return "the checkpoint belongs to a run with other settings:\n  " + String.join("\n  ", differences);
    }
}
