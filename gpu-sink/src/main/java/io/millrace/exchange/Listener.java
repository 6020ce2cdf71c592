package io.millrace.exchange;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port at which other ranks connect. A connecting rank sends the token of the job's attempt and its own rank, and
 * receives one byte as the answer; connections without the token are closed. One thread calls the methods, but any
 * thread may close the listener.
 */
public final class Listener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

    private static final int WELCOME = 1;

    /**
     * The time in which another rank must connect. The time is short because a rank that has the addresses already runs
     * its trainer's thread.
     */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(60);

    private final Arrivals arrivals;

    private Listener(Arrivals arrivals) {
        this.arrivals = arrivals;
    }

    /** Listens on a free port of the address. */
    public static Listener open(InetAddress address) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            return new Listener(Arrivals.at(server.bind(new InetSocketAddress(address, 0))));
        } catch (IOException e) {
            server.close();
            throw new ExchangeException("cannot listen on " + address.getHostAddress() + ": " + e.getMessage(), e);
        }
    }

    /** Returns the port, which is not 0. */
    public int port() {
        return arrivals.port();
    }

    /**
     * Waits until the expected ranks have connected. Connections of other programs are closed.
     *
     * @return the connections by rank; the caller owns them
     */
    Map<Integer, Frames> accept(RankAddresses addresses, Set<Integer> expected) throws IOException {
        Map<Integer, Frames> connected = new TreeMap<>();
        long deadline = System.nanoTime() + CONNECT_TIMEOUT.toNanos();
        try {
            while (connected.size() < expected.size()) {
                Arrivals.Arrival arrival = arrivals.next(addresses, deadline);
                SocketChannel channel = arrival.channel();
                int rank = arrival.rank();
                if (expected.contains(rank) && !connected.containsKey(rank) && isWelcomed(channel)) {
                    connected.put(rank, new Frames(rank, channel));
                } else {
                    channel.close();
                }
            }
            return connected;
        } catch (IOException e) {
            connected.values().forEach(Frames::close);
            throw new ExchangeException(
                    "ranks " + expected + " were expected to connect within " + CONNECT_TIMEOUT.toSeconds()
                            + " s, found " + connected.keySet() + ": " + e.getMessage(),
                    e);
        }
    }

    /** Answers a rank of this job, and returns whether its connection still exists. */
    private static boolean isWelcomed(SocketChannel channel) {
        try {
            prepare(channel.socket());
            channel.write(ByteBuffer.wrap(new byte[] {WELCOME}));
            return true;
        } catch (IOException e) {
            LOG.debug("a rank has closed its connection at once", e);
            return false;
        }
    }

    /** Connects {@code rank}, which is this rank, to the rank {@code other}. */
    static Frames connect(RankAddresses addresses, int rank, int other) throws IOException {
        RankAddress target = addresses.addresses().get(other);
        SocketChannel channel = SocketChannel.open();
        try {
            Socket socket = channel.socket();
            socket.connect(new InetSocketAddress(target.address(), target.port()), (int) CONNECT_TIMEOUT.toMillis());
            prepare(socket);
            socket.setSoTimeout((int) CONNECT_TIMEOUT.toMillis());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] token = addresses.tokenBytes();
            byte[] greeting = new byte[Integer.BYTES + token.length + Integer.BYTES];
            ByteBuffer.wrap(greeting).putInt(Arrivals.MAGIC).put(token).putInt(rank);
            Arrays.fill(token, (byte) 0);
            out.write(greeting);
            int answer = socket.getInputStream().read();
            if (answer != WELCOME) {
                throw new IOException("it refused this rank");
            }
            socket.setSoTimeout(0);
            return new Frames(other, channel);
        } catch (IOException e) {
            channel.close();
            throw new ExchangeException(
                    "cannot reach rank " + other + " at " + target.address() + ":" + target.port() + " from rank "
                            + rank + ": " + e.getMessage()
                            + ". The hosts of trainers must reach each other on any port",
                    e);
        }
    }

    private static void prepare(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
    }

    @Override
    public void close() {
        try {
            arrivals.close();
        } catch (IOException e) {
            throw new IllegalStateException("closing the port of a rank", e);
        }
    }
}
