package io.millrace.exchange;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Where other ranks connect. Who connects shows the table's token and its rank, and gets a byte in answer; who does not is
 * turned away. Safe for one thread, but that another may close it.
 */
public final class Listener implements AutoCloseable {
    private static final int MAGIC = 0x4d525831;
    private static final int WELCOME = 1;

    /** How long another rank may take to begin: it has the table, so its trainer thread runs. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** How long one that connected may take to show its token, so that a stranger cannot block the way. */
    private static final Duration GREETING = Duration.ofSeconds(2);

    private final ServerSocketChannel server;

    private Listener(ServerSocketChannel server) {
        this.server = server;
    }

    /** Listens on a free port of that address. */
    public static Listener open(InetAddress address) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            return new Listener(server.bind(new InetSocketAddress(address, 0)));
        } catch (IOException e) {
            server.close();
            throw new ExchangeException("cannot listen on " + address.getHostAddress() + ": " + e.getMessage(), e);
        }
    }

    /** The port, not 0. */
    public int port() {
        return server.socket().getLocalPort();
    }

    /**
     * Waits until just these ranks have connected.
     *
     * @return connections by rank, which are the caller's
     */
    Map<Integer, Frames> accept(RankAddresses table, Set<Integer> expected) throws IOException {
        Map<Integer, Frames> connected = new TreeMap<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (connected.size() < expected.size()) {
                long leftMillis = (deadline - System.nanoTime()) / 1_000_000;
                if (leftMillis <= 0) {
                    throw new SocketTimeoutException();
                }
                server.socket().setSoTimeout((int) leftMillis);
                SocketChannel channel = server.socket().accept().getChannel();
                int rank = greeted(channel, table);
                if (expected.contains(rank) && !connected.containsKey(rank)) {
                    connected.put(rank, new Frames(rank, channel));
                } else {
                    channel.close();
                }
            }
            return connected;
        } catch (IOException e) {
            connected.values().forEach(Frames::close);
            throw new ExchangeException(
                    "ranks " + expected + " were expected to connect within " + PATIENCE.toSeconds() + " s, found "
                            + connected.keySet() + ": " + e.getMessage(),
                    e);
        }
    }

    /** The rank of who connected, or -1 for a stranger. */
    private static int greeted(SocketChannel channel, RankAddresses table) {
        try {
            Socket socket = channel.socket();
            prepare(socket);
            socket.setSoTimeout((int) GREETING.toMillis());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] expected = table.tokenBytes();
            boolean magic = in.readInt() == MAGIC;
            boolean known = MessageDigest.isEqual(expected, in.readNBytes(expected.length));
            int rank = in.readInt();
            if (!magic || !known || rank < 0 || rank >= table.ranks()) {
                return -1;
            }
            socket.getOutputStream().write(WELCOME);
            socket.setSoTimeout(0);
            return rank;
        } catch (IOException e) {
            return -1;
        }
    }

    /** Connects to another rank, as {@code rank}. */
    static Frames connect(RankAddresses table, int rank, int other) throws IOException {
        RankAddress seat = table.seats().get(other);
        SocketChannel channel = SocketChannel.open();
        try {
            Socket socket = channel.socket();
            socket.connect(new InetSocketAddress(seat.address(), seat.port()), (int) PATIENCE.toMillis());
            prepare(socket);
            socket.setSoTimeout((int) PATIENCE.toMillis());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] token = table.tokenBytes();
            byte[] greeting = new byte[Integer.BYTES + token.length + Integer.BYTES];
            ByteBuffer.wrap(greeting).putInt(MAGIC).put(token).putInt(rank);
            Arrays.fill(token, (byte) 0);
            out.write(greeting);
            int answer = socket.getInputStream().read();
            if (answer != WELCOME) {
                throw new IOException("it turned this rank away");
            }
            socket.setSoTimeout(0);
            return new Frames(other, channel);
        } catch (IOException e) {
            channel.close();
            throw new ExchangeException(
                    "cannot reach rank " + other + " at " + seat.address() + ":" + seat.port() + " from rank " + rank
                            + ": " + e.getMessage() + ". The hosts of trainers must reach each other on any port",
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
            server.close();
        } catch (IOException e) {
            throw new IllegalStateException("closing the port of a rank", e);
        }
    }
}
