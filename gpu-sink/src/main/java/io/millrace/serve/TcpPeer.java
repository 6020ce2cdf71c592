package io.millrace.serve;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;

/**
 * The operating system's view of the other side of a TCP connection. A machine that has vanished answers nothing, but a client that
 * has stopped to read still does, because its operating system answers.
 *
 * <p>While nothing is under way to a client, the operating system probes the connection and closes it after half a minute. It does
 * not probe while bytes are under way, and sends them again for a quarter of an hour. Java has no option for that time, so this
 * class reads the number of unanswered attempts in {@code /proc/net} when another client needs the place of this one.
 */
final class TcpPeer {
    /** The idle seconds before a connection is probed, between probes, and the number of probes before it is dead. */
    private static final int IDLE_SECONDS = 15;

    private static final int PROBE_SECONDS = 5;
    private static final int PROBES = 3;

    /**
     * The unanswered attempts after which a machine has vanished: the third follows at least 1.4 s after the first, and another
     * client waits.
     */
    private static final int MOST_UNANSWERED = 3;

    private static final long HASTE_NANOS = TimeUnit.SECONDS.toNanos(6);

    /**
     * The time for the answer to attempts that have none yet. A busy machine that answered late before has long intervals between
     * attempts: the third follows after seven times its first interval.
     */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    /**
     * The time after which bytes that arrive prove that the client lives. It may have sent earlier ones before its machine vanished,
     * and this process may have read them late.
     */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The time between two readings of the tables, as a multiple of the time of a reading. */
    private static final int REST = 9;

    private final SocketChannel channel;
    private final TcpTable.Connection connection;

    /** The time at which bytes of the other side have arrived last. Volatile: the client's thread sets it. */
    private volatile long heardAtNanos = System.nanoTime();

    private TcpPeer(SocketChannel channel, TcpTable.Connection connection) {
        this.channel = channel;
        this.connection = connection;
    }

    /** Sets the options of a new connection. */
    static TcpPeer of(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        probe(channel, IDLE_SECONDS, PROBE_SECONDS);
        return new TcpPeer(channel, TcpTable.Connection.of(channel));
    }

    private static void probe(SocketChannel channel, int idleSeconds, int probeSeconds) throws IOException {
        channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, idleSeconds);
        channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, probeSeconds);
        channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
    }

    /** Bytes of the other side have arrived. */
    void heard() {
        heardAtNanos = System.nanoTime();
    }

    /**
     * Finds out within some seconds whether the other machine has vanished, because another client wants its place. This machine
     * has not: the answer about a client on it comes at once.
     */
    boolean awaitVanishing() throws IOException {
        try {
            if (Link.isLocal(channel)) {
                return false;
            }
            probe(channel, 1, 1);
            long began = System.nanoTime();
            long read = began;
            int unanswered = TcpTable.ofThisProcess().unanswered(connection);
            while (unanswered < MOST_UNANSWERED) {
                long now = System.nanoTime();
                if (now - began >= (unanswered == 0 ? HASTE_NANOS : PATIENCE_NANOS)
                        || heardAtNanos - began >= LATE_NANOS) {
                    probe(channel, IDLE_SECONDS, PROBE_SECONDS);
                    return false;
                }
                TimeUnit.NANOSECONDS.sleep(Math.max(STEP_NANOS, REST * (now - read)));
                read = System.nanoTime();
                unanswered = TcpTable.ofThisProcess().unanswered(connection);
            }
            return true;
        } catch (ClosedChannelException e) {
            return true; // its thread has noticed the end
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a connection was probed", e);
        }
    }
}
