package io.millrace.sink.deliver;

import io.millrace.serve.Seek;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The agreement of all ranks of a served run on the steps that come next. Each time the ranks agree, a new generation begins:
 * the sinks drop all rows until the readers have dropped theirs, then rows from the lowest step on follow. Each sink drops the
 * rows before the step of its own client, so no client receives a step twice.
 *
 * <p>Ranks that ask for the same step agree. Their steps may differ after a failure, because one loop has received a step that
 * another one has not. The ranks therefore also agree on different steps in these cases:
 *
 * <ul>
 *   <li>All of them continue ({@link Origin#CONTINUED}, {@link Origin#RECEIVING}).
 *   <li>Some of them continue, others have just connected ({@link Origin#STARTED}), and the steps differ by no more than a
 *       client has buffers.
 *   <li>Some of them seek a step, all others continue after they have sought the same step, and the steps differ by no more
 *       than a client has buffers.
 * </ul>
 *
 * <p>The class does not use Flink and is not thread-safe.
 */
final class RankAgreement {
    /** The reason why a client needs a step. */
    enum Origin {
        /** Its program has sought the step on a connection that had asked before. */
        SOUGHT,
        /** Its program begins with this step on a new connection. */
        STARTED,
        /** It has lost its connection, and its loop has received all earlier steps since it sought one. */
        CONTINUED,
        /** It has not asked: it receives batches. */
        RECEIVING;

        /** Returns the reason of a SEEK, after this number of others on the same connection. */
        static Origin of(Seek seek, int earlier) {
            return earlier > 0 ? SOUGHT : seek.continues() ? CONTINUED : STARTED;
        }
    }

    /**
     * The need of a rank's client for batches.
     *
     * @param client the name of the client for messages
     * @param step the step from which on batches are to be sent
     * @param place the step that the client's loop needs next; lower than {@code step} if the client has later batches
     * @param buffers the number of buffers that the client has
     * @param number the number of the latest request of the rank's sink, by which the sink knows the answer to it
     */
    record Request(String client, long step, long place, int buffers, Origin origin, long number)
            implements Serializable {
        /** Returns the request of a client that receives no batches yet. */
        static Request ask(String client, long step, int buffers, Origin origin, long number) {
            return new Request(client, step, step, buffers, origin, number);
        }

        private boolean continues() {
            return origin == Origin.CONTINUED || origin == Origin.RECEIVING;
        }

        @Override
        public String toString() {
            return "(" + client + ") for step " + place;
        }
    }

    private final int world;
    private final AgreementEffects effects;

    /** The clients that wait for a step, by rank. */
    private final Map<Integer, Request> asked = new TreeMap<>();

    /** The ranks whose clients receive batches of the latest generation. */
    private final Set<Integer> receiving = new TreeSet<>();

    /** The places of clients that receive batches, as far as their sinks have reported them since the last question. */
    private final Map<Integer, Request> located = new TreeMap<>();

    /** The requests that the latest generation grants, by rank, until it begins. */
    private final Map<Integer, Request> granted = new TreeMap<>();

    /** The step that each rank's program has chosen last. */
    private final Map<Integer, Long> chosen = new TreeMap<>();

    private final RankClients clients = new RankClients();
    private final Laggards laggards;

    private final boolean[] flushed;
    private final boolean[] done;
    private long generation;

    /** Whether the latest generation was begun at step 0 before anybody has asked for it. */
    private boolean prepared;

    /** The rank that was the first to wait since the ranks disagree; null while they do not. */
    private @Nullable Integer firstInVain;

    /** Creates the agreement of {@code world} ranks. No generation begins with a number below {@code first}. */
    RankAgreement(int world, long first, AgreementEffects effects) {
        this.world = world;
        this.effects = effects;
        this.laggards = new Laggards(world, effects);
        this.generation = first - 1;
        this.flushed = new boolean[world];
        this.done = new boolean[world];
    }

    /** Notes that a client of a rank has connected, which does not ask for batches yet. */
    void connected(int rank, String client) {
        clients.connected(rank, client);
    }

    /** Takes the request of a rank whose client has connected, or asks for another step. */
    void ask(int rank, Request request) {
        withdraw();
        if (request.origin != Origin.STARTED) {
            prepared = false; // its sink drops the rows that wait
        }
        clients.asked(rank, request.client);
        if (!request.continues()) {
            chosen.put(rank, request.step);
        }
        done[rank] = false;
        receiving.remove(rank);
        asked.put(rank, request);
        settle();
    }

    /**
     * Begins a generation at step 0 before any client has asked for it, so that its first rows wait in the sinks. A client that
     * begins with this step receives them. Does nothing while a client has asked, or when this was done before.
     */
    void prepare() {
        if (prepared || clients.haveAsked()) {
            return;
        }
        prepared = true;
        Arrays.fill(flushed, false);
        begin(0);
        for (int rank = 0; rank < world; rank++) {
            effects.prepare(rank, generation);
        }
    }

    private void begin(long step) {
        generation++;
        effects.seek(generation, step);
    }

    /** Takes the place of a rank whose client receives batches. */
    void located(int rank, Request place) {
        if (receiving.contains(rank)) {
            located.put(rank, place);
            laggards.located(located, receiving);
            agreeIfPossible();
        }
    }

    /** Opens again the requests of a generation that has not begun. */
    private void withdraw() {
        granted.forEach(asked::putIfAbsent);
        granted.clear();
    }

    /** Agrees, or asks the sinks for what must be known before. */
    private void settle() {
        firstInVain = null;
        located.clear();
        laggards.forget();
        if (asked.isEmpty() || !clients.missing(done).isEmpty()) {
            return;
        }
        receiving.stream().filter(this::mayContinue).forEach(effects::locate);
        agreeIfPossible();
    }

    /** Returns whether a rank that receives batches need not seek the steps that others have sought. */
    private boolean mayContinue(int rank) {
        return asked.values().stream().allMatch(other -> other.origin != Origin.SOUGHT || isChoice(other.step, rank));
    }

    private void agreeIfPossible() {
        Map<Integer, Request> all = new TreeMap<>(asked);
        all.putAll(located);
        if (!asked.isEmpty()
                && located.size() == receiving.size()
                && clients.missing(done).isEmpty()
                && fit(all)) {
            agree(all);
        }
    }

    private boolean fit(Map<Integer, Request> all) {
        long least = all.values().stream().mapToLong(Request::place).min().orElseThrow();
        long most = all.values().stream().mapToLong(Request::place).max().orElseThrow();
        if (least == most || all.values().stream().allMatch(Request::continues)) {
            return true;
        }
        return all.values().stream().anyMatch(Request::continues)
                && all.values().stream().allMatch(one -> one.origin != Origin.SOUGHT || isChoiceOfAll(one.step, all))
                && most - least
                        <= all.values().stream()
                                .mapToInt(Request::buffers)
                                .max()
                                .orElseThrow();
    }

    private boolean isChoiceOfAll(long step, Map<Integer, Request> all) {
        return all.keySet().stream().allMatch(rank -> isChoice(step, rank));
    }

    private boolean isChoice(long step, int rank) {
        return Long.valueOf(step).equals(chosen.get(rank));
    }

    private void agree(Map<Integer, Request> all) {
        granted.putAll(all);
        asked.clear();
        receiving.clear();
        located.clear();
        firstInVain = null;
        Arrays.fill(flushed, false);
        long first = all.values().stream().mapToLong(Request::step).min().orElseThrow();
        if (!prepared || first != 0) {
            begin(first);
        }
        prepared = false;
        all.forEach((rank, request) -> effects.flush(rank, generation, request.step, request.number));
    }

    /** Notes that the sink of a rank has dropped all rows of generations before this one. */
    void flushed(int rank, long of) {
        if (of != generation || (granted.isEmpty() && !prepared)) {
            return;
        }
        flushed[rank] = true;
        IntStream awaited = granted.isEmpty()
                ? IntStream.range(0, world)
                : granted.keySet().stream().mapToInt(Integer::intValue);
        if (awaited.allMatch(each -> flushed[each])) {
            receiving.addAll(granted.keySet());
            granted.clear();
            effects.begin(generation);
        }
    }

    /** Lets the other ranks continue without a rank whose client needs no more batches. */
    void done(int rank) {
        forget(rank);
        done[rank] = true;
        for (boolean each : done) {
            if (!each) {
                settle();
                return;
            }
        }
        effects.finish();
    }

    /** Forgets a client that has gone. If its generation has not begun, the other ranks still ask for their step. */
    void gone(int rank) {
        forget(rank);
        firstInVain = null;
    }

    /** Forgets the rows that wait for clients, because a sink has failed. */
    void lost() {
        prepared = false;
    }

    private void forget(int rank) {
        withdraw();
        asked.remove(rank);
        receiving.remove(rank);
        located.remove(rank);
        clients.gone(rank);
    }

    /** Tells a client that has waited for some time what it waits for, or that it is refused. */
    void waits(int rank) {
        List<String> missing = clients.missing(done);
        if (!missing.isEmpty()) {
            effects.report(rank, String.join(", ", missing));
        } else if (!asked.isEmpty() && receiving.isEmpty()) {
            disagree(rank);
        } else if (!asked.isEmpty()) {
            effects.report(rank, String.join(", ", apart(rank)));
            settle();
        } else {
            located.clear();
            laggards.waits(rank, receiving);
        }
    }

    /** Refuses all clients when a rank waits the second time, because none of them can correct its step after that. */
    private void disagree(int rank) {
        String steps = asked.entrySet().stream()
                .map(entry -> "rank " + entry.getKey() + " (" + entry.getValue().client + ") for step "
                        + entry.getValue().place)
                .collect(Collectors.joining(", "));
        if (firstInVain != null && firstInVain == rank) {
            String reason = "the ranks ask for different steps: " + steps + ". Load the same saved state on all ranks";
            asked.forEach((each, request) -> effects.disagree(each, reason, request.number));
        } else {
            firstInVain = firstInVain == null ? Integer.valueOf(rank) : firstInVain;
            effects.report(rank, "the ranks to ask for the same step: " + steps);
        }
    }

    /** Returns why a rank waits for ranks whose steps do not fit. */
    private List<String> apart(int rank) {
        List<String> reasons = new ArrayList<>();
        asked.forEach((other, request) -> {
            if (other != rank) {
                reasons.add("rank " + other + " (" + request.client + "), which asks for step " + request.place);
            }
        });
        Request mine = asked.get(rank);
        if (mine != null) {
            receiving.forEach(other -> {
                Request place = located.get(other);
                reasons.add("rank " + other + " (" + clients.name(other) + "), which has not asked for step "
                        + mine.place + (place == null ? "" : " and is at step " + place.place));
            });
        }
        return reasons;
    }
}
