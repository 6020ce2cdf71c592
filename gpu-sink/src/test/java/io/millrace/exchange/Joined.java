package io.millrace.exchange;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Ranks that are threads of the test, joined through one of the transports. */
final class Joined implements AutoCloseable {
    /** The transports. Each constant creates addresses for which {@link Replicas#join} chooses that transport. */
    enum TransportKind {
        THREADS,
        SHARED_MEMORY,
        RING;

        RankAddress address(int rank, int port) {
            String other = rank + "";
            return new RankAddress(
                    rank, "127.0.0.1", port, this == THREADS ? "process" : other, this == RING ? other : "host");
        }
    }

    /** The work of a rank. */
    interface Work<T> {
        T by(Replicas replicas, int rank) throws Exception;
    }

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Listener> listeners = new ArrayList<>();
    private final List<Replicas> replicas = new ArrayList<>();

    Joined(TransportKind way, int ranks) throws Exception {
        List<RankAddress> addresses = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            Listener listener = Listener.open(InetAddress.getLoopbackAddress());
            listeners.add(listener);
            addresses.add(way.address(rank, listener.port()));
        }
        RankAddresses all = RankAddresses.of(addresses);
        List<Future<Replicas>> joining = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            int mine = rank;
            joining.add(threads.submit(() -> Replicas.join(all, mine, listeners.get(mine))));
        }
        for (Future<Replicas> joined : joining) {
            replicas.add(joined.get(5, TimeUnit.MINUTES));
        }
    }

    Replicas rank(int rank) {
        return replicas.get(rank);
    }

    <T> Future<T> begin(int rank, Work<T> work) {
        return threads.submit(() -> work.by(replicas.get(rank), rank));
    }

    /** Runs the work of all ranks at the same time, and returns the results by rank. */
    <T> List<T> all(Work<T> work) throws Exception {
        List<Future<T>> begun = new ArrayList<>();
        for (int rank = 0; rank < replicas.size(); rank++) {
            begun.add(begin(rank, work));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> one : begun) {
            results.add(result(one));
        }
        return results;
    }

    static <T> T result(Future<T> future) throws Exception {
        try {
            return future.get(5, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        replicas.forEach(Replicas::close);
        listeners.forEach(Listener::close);
        threads.shutdownNow();
    }
}
