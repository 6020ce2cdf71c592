package io.millrace.sink;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The agreement of all ranks of a served run on the step that comes next. Each time all ranks have asked for the same step,
 * a new generation begins: the sinks drop all rows until the readers have dropped theirs, then rows from that step on follow.
 *
 * <p>The class does not use Flink and is not thread-safe.
 */
final class RankAgreement {
    /** The actions that follow from an agreement. */
    interface Effects {
        /** The readers shall drop what they read, and afterwards read from this step on. */
        void seek(long generation, long step);

        /**
         * The sink of a rank shall drop all rows of earlier generations.
         *
         * @param request the number of the rank's request that is granted
         */
        void flush(int rank, long generation, long step, long request);

        /** All rows of earlier generations are gone: the readers shall begin. */
        void begin(long generation);

        /** No client needs more batches: the readers shall end. */
        void finish();

        /** The clients of a rank shall hear why they wait. */
        void report(int rank, String reason);

        /** The client of a rank asks for another step than the clients of other ranks. */
        void disagree(int rank, String reason);
    }

    private final int world;
    private final Effects effects;

    /** The clients that wait for a step, by rank. */
    private final Map<Integer, Asked> asked = new TreeMap<>();

    /** The names of the clients that are connected, by rank. */
    private final Map<Integer, String> present = new TreeMap<>();

    private final boolean[] flushed;
    private final boolean[] done;
    private long generation;
    private boolean begun;

    /** The requests that the latest generation grants, by rank. */
    private final Map<Integer, Asked> granted = new TreeMap<>();

    private record Asked(String client, long step, long request) {}

    /** Creates the agreement of {@code world} ranks. No generation begins with a number below {@code first}. */
    RankAgreement(int world, long first, Effects effects) {
        this.world = world;
        this.effects = effects;
        this.generation = first - 1;
        this.flushed = new boolean[world];
        this.done = new boolean[world];
    }

    /**
     * The client of a rank has connected and asks for a step, or asks for another step.
     *
     * @param request the number of the request, by which the rank's sink knows the answer to its latest request
     */
    void ask(int rank, String client, long step, long request) {
        present.put(rank, client);
        done[rank] = false;
        asked.put(rank, new Asked(client, step, request));
        if (asked.size() == world && steps().size() == 1) {
            agree(step);
        }
    }

    private void agree(long step) {
        granted.clear();
        granted.putAll(asked);
        asked.clear();
        generation++;
        begun = false;
        Arrays.fill(flushed, false);
        effects.seek(generation, step);
        granted.forEach((rank, grant) -> effects.flush(rank, generation, step, grant.request));
    }

    /** The sink of a rank has dropped all rows of generations before this one. */
    void flushed(int rank, long of) {
        if (of != generation || begun) {
            return;
        }
        flushed[rank] = true;
        for (boolean each : flushed) {
            if (!each) {
                return;
            }
        }
        begun = true;
        effects.begin(generation);
    }

    /** The client of a rank needs no more batches. */
    void done(int rank) {
        asked.remove(rank);
        present.remove(rank);
        done[rank] = true;
        for (boolean each : done) {
            if (!each) {
                return;
            }
        }
        effects.finish();
    }

    /** The client of a rank has gone. If its generation has not begun, the other ranks still ask for their step. */
    void gone(int rank) {
        if (!begun) {
            granted.forEach(asked::putIfAbsent);
            granted.clear();
        }
        asked.remove(rank);
        present.remove(rank);
    }

    /** The client of a rank has waited for some time: it is told what it waits for. */
    void waits(int rank) {
        if (!asked.containsKey(rank)) {
            List<String> missing = missing();
            if (!missing.isEmpty()) {
                effects.report(rank, "waiting for " + String.join(", ", missing));
            }
            return;
        }
        if (asked.size() == world) {
            String reason = "the ranks ask for different steps: "
                    + asked.entrySet().stream()
                            .map(entry -> "rank " + entry.getKey() + " (" + entry.getValue().client + ") for step "
                                    + entry.getValue().step)
                            .collect(Collectors.joining(", "))
                    + ". Load the same saved state on all ranks";
            new ArrayList<>(asked.keySet()).forEach(each -> effects.disagree(each, reason));
        } else {
            effects.report(rank, "waiting for " + String.join(", ", missing()));
        }
    }

    /** Returns the ranks that do not ask for a step although another does, each with the reason. */
    private List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (int rank = 0; rank < world; rank++) {
            @Nullable String client = present.get(rank);
            if (client == null) {
                missing.add("rank " + rank + " of " + world + ", which has not connected");
            } else if (!asked.containsKey(rank) && !asked.isEmpty()) {
                missing.add("rank " + rank + " (" + client + "), which has not asked for step " + steps().get(0));
            }
        }
        return missing;
    }

    private List<Long> steps() {
        return asked.values().stream().map(Asked::step).distinct().toList();
    }
}
