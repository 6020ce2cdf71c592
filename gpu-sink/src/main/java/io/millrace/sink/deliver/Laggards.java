package io.millrace.sink.deliver;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The ranks whose loops are behind the loop of a rank that waits, while all of them receive batches. When the buffers of a client
 * are full, no rank receives further batches. Loops with collectives are at most a step apart, so a larger distance is the
 * reason for the wait, or the result of one. Not thread-safe.
 *
 * <p>Tested by {@code RankAgreementTest}.
 */
final class Laggards {
    private final int world;
    private final AgreementEffects effects;

    /** The ranks that wait and have no answer yet. */
    private final Set<Integer> waiting = new TreeSet<>();

    Laggards(int world, AgreementEffects effects) {
        this.world = world;
        this.effects = effects;
    }

    /** Asks all ranks that receive batches for their places, after which the rank that waits gets its answer. */
    void waits(int rank, Set<Integer> receiving) {
        waiting.add(rank);
        receiving.forEach(effects::locate);
    }

    /** Answers the ranks that wait when the places of all ranks that receive batches are known. */
    void located(Map<Integer, RankAgreement.Request> places, Set<Integer> receiving) {
        if (places.keySet().containsAll(receiving)) {
            waiting.forEach(each -> effects.report(each, behind(each, places)));
            waiting.clear();
        }
    }

    /** Forgets the waits, because a rank has asked for batches or needs none. */
    void forget() {
        waiting.clear();
    }

    private @Nullable String behind(int rank, Map<Integer, RankAgreement.Request> places) {
        RankAgreement.Request mine = places.get(rank);
        if (mine == null) {
            return null;
        }
        String found = places.entrySet().stream()
                .filter(other -> other.getValue().place() + 1 < mine.place())
                .map(other -> "rank " + other.getKey() + " of " + world + " ("
                        + other.getValue().client() + "), which is at step "
                        + other.getValue().place() + " and not at step " + mine.place())
                .collect(Collectors.joining(", "));
        return found.isEmpty() ? null : found;
    }
}
