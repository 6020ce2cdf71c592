package io.millrace.serve;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients on other machines. It finds those whose machine has vanished, at a bounded cost: it reads the tables of
 * connections only while a client is silent, once for all of them, and for at most a hundredth of the time.
 *
 * <p>Any thread may add and remove clients, one thread at a time looks for vanished machines.
 */
final class TcpPeers {
    private static final Logger LOG = LoggerFactory.getLogger(TcpPeers.class);

    /** The unanswered attempts after which a machine has vanished: the seventh follows at least 25 s after the first. */
    static final int MOST_UNANSWERED = 7;

    /** The silence before which a client's machine cannot have that many unanswered attempts. */
    static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** The time between two readings, as a multiple of the time of a reading. */
    static final int REST = 100;

    private final Set<TcpPeer> peers = ConcurrentHashMap.newKeySet();

    /** The time and the duration of the latest reading. */
    private long readAtNanos;

    private long readingNanos;

    /** The tables of connections, or what stands in for them. */
    interface Tables {
        /** Returns the numbers of attempts to reach the other machines of connections since their last answer. */
        Map<TcpTable.Connection, Integer> unanswered(List<TcpTable.Connection> connections) throws IOException;
    }

    /** Watches the connection of a client. */
    void add(TcpPeer peer) {
        peers.add(peer);
    }

    /** Ends the watch over a connection, which has ended. */
    void remove(TcpPeer peer) {
        peers.remove(peer);
    }

    /**
     * Closes the connections to machines that have vanished.
     *
     * @param nowNanos the present time, as {@link System#nanoTime} returns it
     */
    void closeVanished(long nowNanos, Tables tables) {
        List<TcpPeer> silent = peers.stream()
                .filter(peer -> peer.silentNanos(nowNanos) > SILENT_NANOS)
                .toList();
        if (silent.isEmpty() || nowNanos - readAtNanos < REST * readingNanos) {
            return;
        }
        long began = System.nanoTime();
        try {
            Map<TcpTable.Connection, Integer> unanswered =
                    tables.unanswered(silent.stream().map(TcpPeer::connection).toList());
            for (TcpPeer peer : silent) {
                if (unanswered.getOrDefault(peer.connection(), 0) >= MOST_UNANSWERED) {
                    peer.closeVanished();
                }
            }
        } catch (IOException | RuntimeException e) { // thrown on, it would end the timer that calls this
            LOG.warn("the connections to silent clients could not be checked", e);
        }
        readAtNanos = nowNanos;
        readingNanos = System.nanoTime() - began;
    }
}
