package io.millrace.sink.deliver;

import io.millrace.serve.Refusal;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place of a rank's client, which one client has at a time. Threads of clients take it, and the task's thread frees it.
 *
 * <p>Tested by {@code DeliveryTest}.
 */
final class ClientSeat {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSeat.class);

    private final String rank;
    private final AtomicReference<@Nullable ClientSession> current = new AtomicReference<>();

    /** A client that comes afterwards connects again. The task's thread writes it. */
    private volatile boolean closed;

    /** The reason why no client is accepted any more; null while clients are. The task's thread writes it. */
    private volatile @Nullable Refusal failure;

    /**
     * Creates a free place.
     *
     * @param rank the name of the rank for messages
     */
    ClientSeat(String rank) {
        this.rank = rank;
    }

    /** Returns the client's session; null while the place is free. */
    @Nullable
    ClientSession current() {
        return current.get();
    }

    /** Returns whether the delivery has ended. */
    boolean isClosed() {
        return closed;
    }

    /**
     * Gives the place to a client. Waits some seconds for an earlier client that is about to go.
     *
     * @throws Refusal when another client has the place, or the delivery has failed
     * @throws IOException when the delivery has ended
     */
    void take(ClientSession session) throws IOException {
        ClientSession other = current.compareAndExchange(null, session);
        if (other != null && other.awaitRelease(other.client().yieldsTo(session.client()))) {
            other = current.compareAndExchange(null, session);
        }
        Refusal failed = failure;
        if (closed || failed != null) {
            current.compareAndSet(session, null);
            if (failed != null) {
                throw failed;
            }
            throw new ClosedChannelException();
        }
        if (other != null) {
            throw new Refusal(
                    Refusal.Code.RANK_TAKEN,
                    rank + " is taken by " + other.client().describe()
                            + ": end that client first, or use another rank");
        }
    }

    /** Frees the place if this client has it. */
    void free(ClientSession session) {
        current.compareAndSet(session, null);
    }

    /** Returns whether no client is accepted any more, because the delivery has failed. */
    boolean hasFailed() {
        return failure != null;
    }

    /** Refuses the client of an evaluation, and all that come later. Returns the reason that they get. */
    String fail(Exception cause) {
        LOG.warn("the evaluation ends for {}, because its delivery has failed", rank, cause);
        String reason = "the evaluation cannot be delivered: " + sentence(cause);
        refuse(reason);
        return reason;
    }

    /** Returns what a failure says; its class when it says nothing. */
    static String sentence(Exception failure) {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    /** Refuses the client of an evaluation, and all that come later, because the delivery to a rank has failed. */
    void refuse(String reason) {
        Refusal refusal = new Refusal(Refusal.Code.JOB_FAILED, reason);
        failure = refusal;
        ClientSession session = current.get();
        if (session != null) {
            session.client().refuse(refusal);
        }
    }

    /** Accepts no client any more. Returns the session of the client that has the place, if there is one. */
    @Nullable
    ClientSession close() {
        closed = true;
        return current.getAndSet(null);
    }
}
