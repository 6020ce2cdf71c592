package io.millrace.sink.deliver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The clients of all ranks of a served run, as their names and what each has done last. Not thread-safe.
 *
 * <p>Tested by {@code RankAgreementTest}.
 */
final class RankClients {
    /** The last news of a client. */
    private enum News {
        CONNECTED("is connected and has not asked for a batch"),
        ASKED("has asked for batches"),
        GONE("has gone");

        private final String clause;

        News(String clause) {
            this.clause = clause;
        }
    }

    private record Latest(String client, News news) {}

    /** The latest client of each rank that has had one. */
    private final Map<Integer, Latest> latest = new TreeMap<>();

    /** Records that a client of the rank has connected. */
    void connected(int rank, String client) {
        latest.put(rank, new Latest(client, News.CONNECTED));
    }

    /** Records that the client of the rank has asked for batches. */
    void asked(int rank, String client) {
        latest.put(rank, new Latest(client, News.ASKED));
    }

    /** Records that the rank has no client any more. */
    void gone(int rank) {
        latest.computeIfPresent(rank, (each, known) -> new Latest(known.client, News.GONE));
    }

    /** Returns the name of the rank's latest client; null if there was none. */
    @Nullable
    String name(int rank) {
        Latest known = latest.get(rank);
        return known == null ? null : known.client;
    }

    /** Returns whether the rank has a client that has asked for batches. */
    boolean hasAsked(int rank) {
        Latest known = latest.get(rank);
        return known != null && known.news == News.ASKED;
    }

    /** Returns whether a rank has a client that has asked for batches. */
    boolean haveAsked() {
        return latest.values().stream().anyMatch(known -> known.news == News.ASKED);
    }

    /**
     * Returns the ranks without a client that has asked for batches, each with the reason.
     *
     * @param done the ranks, by index, that need no client any more
     */
    List<String> missing(boolean[] done) {
        List<String> missing = new ArrayList<>();
        for (int rank = 0; rank < done.length; rank++) {
            if (!done[rank] && !hasAsked(rank)) {
                Latest known = latest.get(rank);
                missing.add("rank " + rank + " of " + done.length
                        + (known == null
                                ? ", which has not connected"
                                : ", whose client (" + known.client + ") " + known.news.clause));
            }
        }
        return missing;
    }
}
