package io.millrace.serve;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a socket whose clients have not shown yet that they belong to the run. Anybody can open such connections, so
 * their number and their time are bounded. Each one has a thread, a buffer of 4 KiB and at most
 * {@link Message#MOST_STRANGER_BYTES} of a message.
 *
 * <p>Any thread may call the methods, but only one calls {@link #admit}.
 */
final class Strangers {
    private static final Logger LOG = LoggerFactory.getLogger(Strangers.class);

    /** The largest number of strangers. The clients of so many ranks may connect at the same moment and none is sent away. */
    static final int MOST = 128;

    /** The time in which a connection must show that it belongs to the run, with everything that comes before, such as TLS. */
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** The time that each stranger has, also when others wait for its place. A client sends its messages at once. */
    private static final long RESPITE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The time between two looks for a stranger whose respite is over. */
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The time between two messages about strangers in the log, so that they cannot fill the disk. */
    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A connection that is a stranger until it is known or closed. */
    final class Stranger implements AutoCloseable {
        private final SocketChannel channel;
        private final long sinceNanos = System.nanoTime();

        /** Whether the stranger has a place; guarded by the outer object. */
        private boolean placed = true;

        private Stranger(SocketChannel channel) {
            this.channel = channel;
        }

        /** Ends the limits of this connection, because it belongs to the run. */
        void becomeKnown() {
            leave(this);
        }

        /** Writes to the log that the connection was refused, except directly after another one. */
        void reportRefusal(Link link, Exception reason) {
            report("refused a client at " + link.describe() + ": " + reason.getMessage());
        }

        /** Ends the limits of this connection, which has ended. Closing again does nothing. */
        @Override
        public void close() {
            leave(this);
        }
    }

    private final Semaphore places = new Semaphore(MOST);

    /** The strangers in the order in which they came; guarded by this object. */
    private final Deque<Stranger> present = new ArrayDeque<>();

    private long reportedAtNanos = System.nanoTime() - REPORT_NANOS;
    private long unreported;

    /**
     * Waits for a place for a new connection. When there is none, the connection that has waited longest is closed.
     *
     * @return the connection, which the caller closes when its thread ends
     */
    Stranger admit(SocketChannel channel) throws InterruptedException {
        while (!places.tryAcquire()) {
            if (closeOlderThan(RESPITE_NANOS, 1) > 0) {
                report("closed a connection that had not shown the token, because " + MOST + " others wait");
            }
            if (places.tryAcquire(STEP_NANOS, TimeUnit.NANOSECONDS)) {
                break;
            }
        }
        synchronized (this) {
            Stranger stranger = new Stranger(channel);
            present.add(stranger);
            return stranger;
        }
    }

    /** Closes the connections whose time is over. */
    void closeOverdue() {
        closeOlderThan(TIMEOUT.toNanos(), MOST);
    }

    /** Closes the oldest connections. Their threads then end, and give their places back. */
    private int closeOlderThan(long ageNanos, int most) {
        List<Stranger> overdue = new ArrayList<>();
        synchronized (this) {
            long now = System.nanoTime();
            while (overdue.size() < most && !present.isEmpty() && now - present.getFirst().sinceNanos >= ageNanos) {
                overdue.add(present.removeFirst());
            }
        }
        for (Stranger stranger : overdue) {
            try {
                stranger.channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot close a connection", e);
            }
        }
        return overdue.size();
    }

    private synchronized void leave(Stranger stranger) {
        if (stranger.placed) {
            stranger.placed = false;
            present.remove(stranger);
            places.release();
        }
    }

    private synchronized void report(String sentence) {
        long now = System.nanoTime();
        if (now - reportedAtNanos < REPORT_NANOS) {
            unreported++;
            return;
        }
        LOG.info("{}{}", sentence, unreported == 0 ? "" : " (and " + unreported + " more connections before)");
        reportedAtNanos = now;
        unreported = 0;
    }
}
