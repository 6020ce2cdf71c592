package io.millrace.serve;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operating system's view of the other side of a TCP connection. A machine that has vanished answers nothing, but a client that
 * has stopped to read still does, because its operating system answers.
 *
 * <p>While nothing is under way to a client, the operating system probes the connection and closes it after half a minute. It does
 * not probe while bytes are under way, and sends them again for a quarter of an hour. Java has no option for that time, so this
 * class reads the number of unanswered attempts in {@code /proc/net}.
 */
final class TcpPeer {
    private static final Logger LOG = LoggerFactory.getLogger(TcpPeer.class);

    /** The idle seconds before a connection is probed, between probes, and the number of probes before it is dead. */
    private static final int IDLE_SECONDS = 15;

    private static final int PROBE_SECONDS = 5;
    private static final int PROBES = 3;

    /** The unanswered attempts after which a machine has vanished: the seventh follows at least 25 s after the first. */
    private static final int MOST_UNANSWERED = 7;

    /** The same number when another client waits for the answer: the third attempt follows at least 1.4 s after the first. */
    private static final int MOST_UNANSWERED_IN_HASTE = 3;

    private static final long HASTE_SECONDS = 6;

    /** The time after which a message proves that the client lives. Earlier ones may have been sent before its machine vanished. */
    private static final long LATE_SECONDS = 3;

    private static final long STEP_MILLIS = 100;

    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int RETRANSMITS = 6;
    private static final int PROBES_OUT = 8;
    private static final int HEXADECIMAL = 16;

    private final SocketChannel channel;
    private final String local;
    private final String remote;

    private TcpPeer(SocketChannel channel, String local, String remote) {
        this.channel = channel;
        this.local = local;
        this.remote = remote;
    }

    /** Sets the options of a new connection. */
    static TcpPeer of(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        probe(channel, IDLE_SECONDS, PROBE_SECONDS);
        return new TcpPeer(channel, text((InetSocketAddress) channel.getLocalAddress()), text((InetSocketAddress)
                channel.getRemoteAddress()));
    }

    private static void probe(SocketChannel channel, int idleSeconds, int probeSeconds) throws IOException {
        channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, idleSeconds);
        channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, probeSeconds);
        channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
    }

    /** Returns an address as it ends in the tables, where IPv4 addresses may be mapped to IPv6. */
    private static String text(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        ByteBuffer words = ByteBuffer.wrap(host.getAddress()).order(ByteOrder.nativeOrder());
        StringBuilder text = new StringBuilder();
        while (words.hasRemaining()) {
            text.append(String.format("%08X", words.getInt()));
        }
        return text.append(String.format(":%04X", address.getPort())).toString();
    }

    /** Closes the connection if the other machine has not answered for so long that it has vanished. */
    void closeIfVanished() throws IOException {
        if (unanswered() >= MOST_UNANSWERED) {
            LOG.info("the machine of the client at {} does not answer", channel.getRemoteAddress());
            channel.close();
        }
    }

    /**
     * Finds out within some seconds whether the other machine has vanished, because another client wants its place.
     *
     * @param lives returns true when the client has sent something meanwhile
     */
    boolean awaitVanishing(BooleanSupplier lives) throws IOException {
        try {
            probe(channel, 1, 1);
            long began = System.nanoTime();
            while (unanswered() < MOST_UNANSWERED_IN_HASTE) {
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
                if (seconds >= HASTE_SECONDS || (seconds >= LATE_SECONDS && lives.getAsBoolean())) {
                    probe(channel, IDLE_SECONDS, PROBE_SECONDS);
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
            }
            return true;
        } catch (ClosedChannelException e) {
            return true; // its thread has noticed the end
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a connection was probed", e);
        }
    }

    /** Returns the number of attempts to reach the other machine since its last answer; 0 when that is not known. */
    private int unanswered() throws IOException {
        for (Path table : TABLES) {
            if (!Files.isReadable(table)) {
                continue; // no IPv6, or another system: only the operating system can notice it
            }
            for (String line : Files.readAllLines(table)) {
                String[] columns = line.strip().split("\\s+", -1);
                if (columns.length > PROBES_OUT && columns[LOCAL].endsWith(local) && columns[REMOTE].endsWith(remote)) {
                    return Math.max(
                            Integer.parseInt(columns[RETRANSMITS], HEXADECIMAL), Integer.parseInt(columns[PROBES_OUT]));
                }
            }
        }
        return 0;
    }
}
