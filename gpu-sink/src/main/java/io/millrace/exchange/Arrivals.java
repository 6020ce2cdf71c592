package io.millrace.exchange;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections at a rank's port that have not shown the token yet. Anybody can open such connections, so their number, their time
 * and their bytes are bounded, and none of them delays the others.
 *
 * <p>One thread calls the methods, but any thread may close the object.
 *
 * <p>Tested by {@code ListenerTest}.
 */
final class Arrivals implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);

    /** The first bytes of a greeting: a number, the token, and the rank. */
    static final int MAGIC = 0x4d525831;

    /** The largest number of connections. The one that has waited longest is closed for another one. */
    static final int MOST = 64;

    /** The time in which a connection must send its greeting. */
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** A connection that has sent the token; the receiver of this object closes it. */
    record Arrival(int rank, SocketChannel channel) {}

    /** A connection that has not sent its whole greeting. */
    private record Waiting(SocketChannel channel, ByteBuffer greeting, long sinceNanos) {}

    private final ServerSocketChannel server;
    private final Selector selector;

    /** The connections in the order in which they came. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private final Deque<Waiting> complete = new ArrayDeque<>();

    private Arrivals(ServerSocketChannel server, Selector selector) {
        this.server = server;
        this.selector = selector;
    }

    /** Takes ownership of a port that is open. */
    static Arrivals at(ServerSocketChannel server) throws IOException {
        Selector selector = Selector.open();
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        return new Arrivals(server, selector);
    }

    int port() {
        return server.socket().getLocalPort();
    }

    /**
     * Waits for a connection with the token. Others are closed.
     *
     * @param deadlineNanos the time at which the waiting ends, as {@link System#nanoTime} returns it
     */
    Arrival next(RankAddresses addresses, long deadlineNanos) throws IOException {
        try {
            while (true) {
                while (!complete.isEmpty()) {
                    Waiting greeted = complete.removeFirst();
                    int rank = rank(greeted.greeting.flip(), addresses);
                    if (rank >= 0) {
                        return new Arrival(rank, greeted.channel);
                    }
                    close(greeted);
                }
                awaitGreetings(deadlineNanos);
            }
        } catch (ClosedSelectorException e) {
            throw new ClosedChannelException();
        }
    }

    private void awaitGreetings(long deadlineNanos) throws IOException {
        long now = System.nanoTime();
        while (!waiting.isEmpty() && now - waiting.getFirst().sinceNanos >= TIMEOUT.toNanos()) {
            close(waiting.removeFirst());
        }
        long leftNanos = deadlineNanos - now;
        if (leftNanos <= 0) {
            throw new SocketTimeoutException();
        }
        if (!waiting.isEmpty()) {
            leftNanos = Math.min(leftNanos, waiting.getFirst().sinceNanos + TIMEOUT.toNanos() - now);
        }
        if (selector.selectedKeys().isEmpty()) {
            selector.select(1 + leftNanos / 1_000_000);
        }
        List<SelectionKey> greeted = new ArrayList<>();
        for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
            SelectionKey key = keys.next();
            keys.remove();
            if (key.attachment() instanceof Waiting one) {
                if (key.isValid() && isComplete(one)) {
                    greeted.add(key);
                }
            } else {
                acceptAll();
            }
        }
        for (SelectionKey key : greeted) {
            Waiting one = (Waiting) key.attachment();
            waiting.remove(one);
            key.cancel();
            one.channel.configureBlocking(true);
            complete.add(one);
        }
        if (!greeted.isEmpty()) {
            selector.selectNow(); // takes the connections out of the selector
        }
    }

    private void acceptAll() throws IOException {
        for (int i = 0; i < MOST; i++) {
            SocketChannel channel = server.accept();
            if (channel == null) {
                return;
            }
            if (waiting.size() == MOST) {
                close(waiting.removeFirst());
            }
            ByteBuffer greeting = ByteBuffer.allocate(Integer.BYTES + RankAddresses.TOKEN_BYTES + Integer.BYTES);
            Waiting one = new Waiting(channel, greeting, System.nanoTime());
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, one);
            waiting.add(one);
        }
    }

    /** Reads what has arrived, and returns whether the greeting is complete. Closes a connection that has ended. */
    private boolean isComplete(Waiting one) {
        try {
            if (one.channel.read(one.greeting) >= 0) {
                return !one.greeting.hasRemaining();
            }
        } catch (IOException e) {
            LOG.debug("a connection without the token has ended", e);
        }
        waiting.remove(one);
        close(one);
        return false;
    }

    /** Returns the rank that has connected, or -1 when the connection is not from a rank of this job. */
    private static int rank(ByteBuffer greeting, RankAddresses addresses) {
        boolean magic = greeting.getInt() == MAGIC;
        byte[] token = new byte[RankAddresses.TOKEN_BYTES];
        greeting.get(token);
        boolean known = MessageDigest.isEqual(addresses.tokenBytes(), token);
        int rank = greeting.getInt();
        return magic && known && rank < addresses.ranks() ? rank : -1;
    }

    private static void close(Waiting one) {
        try {
            one.channel.close();
        } catch (IOException e) {
            LOG.debug("a connection without the token cannot be closed", e);
        }
    }

    /** Closes the port and the connections. A thread that waits for one then fails. */
    @Override
    public void close() throws IOException {
        try (server) {
            for (SelectionKey key : List.copyOf(selector.isOpen() ? selector.keys() : List.of())) {
                key.channel().close();
            }
            selector.close();
        }
    }
}
