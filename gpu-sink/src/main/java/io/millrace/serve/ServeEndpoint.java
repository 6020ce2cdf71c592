package io.millrace.serve;

import io.millrace.file.MemoryFiles;
import io.millrace.file.Swept;
import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place where clients of one run connect to this process: a Unix socket and a TCP port. It checks that each client
 * belongs to the run, and passes the client to the sink of its rank, in this process, or tells it where that sink
 * listens. While there is neither, the client waits, because a job that starts or restarts has no sinks for some time.
 *
 * <p>Any thread may call the methods. The sinks' methods are called on a thread of the client.
 */
public final class ServeEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServeEndpoint.class);

    /** The interval at which connections that do not show the token are looked for. */
    private static final Duration OVERDUE_INTERVAL = Duration.ofSeconds(1);

    /** The interval at which waiting clients hear that the server is alive. */
    private static final Duration WAIT_INTERVAL = Duration.ofSeconds(5);

    /** The sink of a rank. */
    public interface Sink {
        /**
         * Receives a client of the sink's rank and answers it.
         *
         * @return the receiver of the client's messages
         * @throws Refusal when the client is refused
         */
        Client.Listener accept(Client client) throws IOException;
    }

    private final ServeSpec spec;
    private final Listening listening;
    private final Handles handles = new Handles();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timeouts;
    private final Map<Integer, Sink> sinks = new HashMap<>();
    private final UnawareRanks unaware = new UnawareRanks();
    private Map<Integer, SinkPlace> elsewhere = Map.of();

    /** The number of calls of {@link #redirect}: an address is used only for clients that came before it was read. */
    private long readings;

    /** The number of clients that wait for the place of their sink. */
    private int waiting;

    private String startsBecause = "the job starts";
    private @Nullable String failure;
    private @Nullable String loss;
    private final EvaluationDoor evaluation;

    private boolean closed;

    private ServeEndpoint(ServeSpec spec, Listening listening) {
        this.spec = spec;
        this.evaluation = new EvaluationDoor(spec.stream());
        this.timeouts = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "serve-timeouts");
            thread.setDaemon(true);
            return thread;
        });
        handles.add(timeouts::shutdownNow);
        this.listening = handles.add(listening);
        every(OVERDUE_INTERVAL, listening::closeOverdue);
    }

    private void every(Duration interval, Runnable check) {
        long millis = interval.toMillis();
        var unused = timeouts.scheduleWithFixedDelay(check, millis, millis, TimeUnit.MILLISECONDS);
    }

    /**
     * Begins to listen.
     *
     * @throws IOException when that is not possible; the message names the address
     */
    public static ServeEndpoint open(ServeSpec spec, ListenAddress address) throws IOException {
        return open(spec, BoundAddress.bind(address));
    }

    /** Accepts clients at an address, which it closes: at its end, or at once if it cannot be opened. */
    static ServeEndpoint open(ServeSpec spec, BoundAddress address) throws IOException {
        Handles opened = new Handles();
        sweep();
        return opened.closeOnFailure(() -> {
            Listening listening = opened.add(Listening.open(address));
            ServeEndpoint endpoint = new ServeEndpoint(spec, listening);
            listening.start(endpoint::serve);
            return endpoint;
        });
    }

    /** Deletes what servers that were killed have left. */
    private static void sweep() {
        for (Swept swept : List.of(ServerFile.sweep(MemoryFiles.FOLDER), Listening.sweep())) {
            if (!swept.deleted().isEmpty()) {
                LOG.info("deleted {}, which servers that were killed have left", swept.deleted());
            }
            swept.kept().forEach(LOG::warn);
        }
    }

    /** Returns the addresses at which clients reach this process, the Unix socket first. */
    public List<String> addresses() throws IOException {
        return listening.addresses();
    }

    /** Passes the clients of a rank to a sink of this process from now on. */
    public synchronized void join(int rank, Sink sink) {
        sinks.put(rank, sink);
        notifyAll();
    }

    /**
     * Sends the clients that ask for the evaluation to its own endpoint from now on.
     *
     * @param other the endpoint of the evaluation
     */
    public void evaluateAt(ServeEndpoint other) {
        evaluation.leadTo(other);
    }

    /** Ends {@link #join}. The sink closes its client itself. */
    public synchronized void leave(int rank, Sink sink) {
        sinks.remove(rank, sink);
    }

    /**
     * Waits until a client waits for the place of its sink.
     *
     * @return false when this endpoint is closed
     */
    public synchronized boolean awaitClient() throws InterruptedException {
        while (waiting == 0 && !closed) {
            wait();
        }
        return !closed;
    }

    /**
     * Sends the clients that wait now to the processes of their sinks. Clients that come later wait for the next call, because
     * a sink may have moved by then.
     *
     * @param places the sinks whose place is known, by rank
     * @param reason the reason why other clients wait, as a sentence for them
     */
    public synchronized void redirect(Map<Integer, SinkPlace> places, String reason) {
        elsewhere = Map.copyOf(places);
        startsBecause = reason;
        loss = null;
        readings++;
        notifyAll();
    }

    /** Refuses clients until the next {@link #redirect}, because the job cannot go on unless somebody helps it. */
    public synchronized void lose(String sentence) {
        loss = sentence;
        notifyAll();
    }

    /** Refuses all clients from now on, because the job has failed for this reason. */
    public synchronized void fail(String sentence) {
        failure = sentence;
        notifyAll();
    }

    /**
     * Waits until all clients that were served know that no more batches come: they have sent BYE, or heard that the job has
     * failed.
     *
     * @return false when some did not come in this time; they may have been killed
     */
    public boolean awaitHeard(Duration most) throws InterruptedException {
        return unaware.awaitNone(most);
    }

    private void serve(Link link, boolean trusted, Strangers.Stranger stranger) {
        links.add(link);
        try (link) {
            answer(link, trusted, stranger);
        } catch (IOException e) {
            LOG.debug("the client at {} has gone", link.describe(), e);
        } finally {
            links.remove(link);
        }
    }

    private void answer(Link link, boolean trusted, Strangers.Stranger stranger) throws IOException {
        int rank = -1;
        try {
            Join join = Join.read(link, spec, trusted);
            join.require(spec);
            stranger.becomeKnown();
            if (evaluation.leadsAway(join, link)) {
                return;
            }
            Client client = new Client(link, join);
            rank = join.rank();
            Sink sink = route(link, client);
            if (sink != null) {
                Client.Listener listener = sink.accept(client);
                unaware.served(rank);
                if (client.run(listener)) {
                    unaware.heard(rank);
                }
            }
        } catch (Refusal e) {
            if (e.code() == Refusal.Code.TOKEN) {
                requireOpen();
            }
            stranger.reportRefusal(link, e);
            Client.dismiss(link, e);
            if (e.code() == Refusal.Code.JOB_FAILED) {
                unaware.heard(rank);
            }
        } catch (ProtocolException e) {
            stranger.reportRefusal(link, e);
            Client.dismiss(link, new Refusal(Refusal.Code.PROTOCOL, e.getMessage()));
        }
    }

    /**
     * Ends the connection of a client that comes while this closes, so that it looks for the next sink, and not for a
     * token.
     */
    private synchronized void requireOpen() throws ClosedChannelException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    /**
     * Waits until the place of the client's sink is known, and sends the client there if that is another process.
     *
     * @return the sink in this process; null when the client was sent away
     */
    private @Nullable Sink route(Link link, Client client) throws IOException {
        int rank = client.join().rank();
        long since = arrived();
        try {
            while (true) {
                Sink sink;
                SinkPlace place;
                String reason;
                synchronized (this) {
                    awaitPlace(rank, since);
                    String ended = failure == null ? loss : failure;
                    if (ended != null) {
                        throw new Refusal(Refusal.Code.JOB_FAILED, ended);
                    }
                    if (closed) {
                        throw new ClosedChannelException();
                    }
                    sink = sinks.get(rank);
                    place = placeElsewhere(rank, since);
                    reason = startsBecause;
                }
                if (sink != null) {
                    return sink;
                }
                if (place != null) {
                    place.requireReachable(
                            rank,
                            client.join().machine(),
                            link.isLocal() ? Optional.of(Machine.here()) : Optional.empty());
                    unaware.served(rank);
                    Client.send(link, MessageType.REDIRECT, Map.of("addresses", place.addresses()));
                    return null;
                }
                Client.send(link, MessageType.WAIT, Map.of("reason", reason));
            }
        } finally {
            synchronized (this) {
                waiting--;
            }
        }
    }

    /** Counts a client that waits for a place, and returns the number of readings so far. */
    private synchronized long arrived() {
        waiting++;
        notifyAll();
        return readings;
    }

    private @Nullable SinkPlace placeElsewhere(int rank, long since) {
        return readings > since ? elsewhere.get(rank) : null;
    }

    /**
     * Waits until there is an answer to the clients of a rank, but for at most the time after which they hear a reason
     * for the wait.
     */
    private synchronized void awaitPlace(int rank, long since) throws IOException {
        long deadline = System.nanoTime() + WAIT_INTERVAL.toNanos();
        try {
            while (failure == null
                    && loss == null
                    && !closed
                    && !sinks.containsKey(rank)
                    && placeElsewhere(rank, since) == null) {
                long leftMillis = (deadline - System.nanoTime()) / 1_000_000;
                if (leftMillis <= 0) {
                    return;
                }
                wait(leftMillis);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the endpoint is closing", e);
        }
    }

    /** Closes all connections and stops to listen. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        links.forEach(handles::add);
        handles.close();
    }
}
