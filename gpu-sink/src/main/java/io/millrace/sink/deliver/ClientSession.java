package io.millrace.sink.deliver;

import io.millrace.serve.Client;
import io.millrace.serve.ClientBuffers;
import io.millrace.serve.Join;
import io.millrace.serve.MemoryWish;
import io.millrace.serve.ProtocolException;
import io.millrace.serve.Refusal;
import io.millrace.serve.Seek;
import io.millrace.sink.figures.TrainedBatch;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.function.ThrowingConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a client to the delivery of its rank: its buffers and its place in the run. The client's thread calls the
 * methods of {@link Client.Listener}, which check the client's messages. The task's thread calls all others.
 *
 * <p>Tested by {@code DeliveryTest}.
 */
final class ClientSession implements Client.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);
    private static final int RELEASE_SECONDS = 10;

    private final Delivery delivery;
    private final Client client;
    private final ServedPlan served;

    /** Opens when another client may take the rank. */
    private final CountDownLatch released = new CountDownLatch(1);

    /** The buffers that the client has; the client's thread sets it once. */
    private @Nullable ClientBuffers buffers;

    /** Whether the session takes no memory any more; guarded by this object, as {@link #buffers} is when it is set. */
    private boolean closed;

    /** The generation of the client's latest SEEK, as its thread has read it. */
    private int asked;

    /** The batches since the client's first SEEK; null before. The task's thread uses it. */
    private @Nullable ClientBatches batches;

    ClientSession(Delivery delivery, Client client, ServedPlan served) {
        this.delivery = delivery;
        this.client = client;
        this.served = served;
    }

    Client client() {
        return client;
    }

    /** Returns the side that applies the device transforms. */
    Join.Transforms side() {
        return served.side();
    }

    /** Returns the client's batches; null while it has not asked for a step. */
    @Nullable
    ClientBatches batches() {
        return batches;
    }

    /** Returns a number that changes when rows are put into the client's memory. */
    long filled() {
        return batches == null ? 0 : batches.filled();
    }

    /** Throws when the client has made the memory shorter that is in use. */
    void requireWholeMemory() throws IOException {
        if (batches != null) {
            batches.requireWholeMemory();
        }
    }

    @Override
    public void memory(MemoryWish wish) throws IOException {
        if (buffers != null) {
            throw new ProtocolException("the client sent MEMORY after it had got memory");
        }
        ClientBuffers offered = ClientBuffers.offer(
                client, wish, served.layout(), delivery.spec().device().batchesInFlight());
        synchronized (this) {
            if (!closed) {
                buffers = offered;
                return;
            }
        }
        if (offered != null) {
            offered.memory().close();
        }
        throw new ClosedChannelException();
    }

    @Override
    public void seek(Seek seek) throws IOException {
        int next = seek.generation();
        long step = seek.step();
        ClientBuffers given = buffers;
        if (given == null) {
            throw new ProtocolException("the client sent SEEK before it had memory");
        }
        if (next != asked + 1) {
            throw new ProtocolException("the client sent SEEK with generation " + next + ": expected " + (asked + 1));
        }
        Refusal.requireStep(step, delivery.plan().rankRows().plan().lastStart());
        if (seek.continues() && asked > 0) {
            throw new ProtocolException("the client continues in its SEEK of generation " + next
                    + ": it can only continue with the first SEEK of a connection");
        }
        RankAgreement.Origin origin = RankAgreement.Origin.of(seek, asked);
        asked = next;
        given.mapped();
        delivery.execute(this, () -> ask(given, next, step, origin), "seek");
    }

    private void ask(ClientBuffers given, int next, long step, RankAgreement.Origin origin) throws IOException {
        ClientBatches open = batches;
        if (open == null) {
            open = delivery.batches(client, given, served);
            batches = open;
        }
        open.seek(next, step);
        delivery.ask(this, open, step, origin);
    }

    @Override
    public void returned(long buffer) throws IOException {
        ClientBuffers given = buffers;
        if (given == null || buffer < 0 || buffer >= given.memory().buffers()) {
            throw new ProtocolException("the client returned buffer " + Long.toUnsignedString(buffer)
                    + ": expected 0 to " + (given == null ? 0 : given.memory().buffers() - 1));
        }
        execute(open -> open.returned((int) buffer), "return a buffer");
    }

    @Override
    public void stepped(int of, long step, long waitNanos, long busyNanos) throws IOException {
        if (waitNanos < 0 || busyNanos < 0) {
            throw new ProtocolException(
                    "the client reports a step of " + waitNanos + " and " + busyNanos + " ns: expected 0 or more");
        }
        execute(
                open -> {
                    if (of == open.generation()) { // a SEEK has overtaken the steps of an earlier generation
                        delivery.stepped(this, step, waitNanos, busyNanos);
                    }
                },
                "report a step");
    }

    /**
     * Refuses the client, which has reported another step than that of the oldest batch without a report.
     *
     * @param oldest that batch; null when there is none
     */
    void refuseStep(long step, @Nullable TrainedBatch oldest) {
        client.refuse(new Refusal(
                Refusal.Code.PROTOCOL,
                "the client reports step " + step + ": expected "
                        + (oldest == null ? "no step, because all are reported" : "step " + oldest.step())));
    }

    @Override
    public void done() {
        delivery.execute(this, () -> delivery.done(batches), "the client is done");
    }

    /** Runs an action with the client's batches on the task's thread. Refuses a client that has sent no SEEK. */
    private void execute(ThrowingConsumer<ClientBatches, IOException> action, String description) {
        delivery.execute(
                this,
                () -> {
                    ClientBatches open = batches;
                    if (open == null) {
                        client.refuse(new Refusal(
                                Refusal.Code.PROTOCOL,
                                "the client wants to " + description + " before its first SEEK"));
                        return;
                    }
                    action.accept(open);
                },
                description);
    }

    @Override
    public void gone(@Nullable String reason) {
        delivery.execute(this, () -> delivery.gone(this, reason), "the client has gone");
    }

    /** Lets another client take the rank from now on. */
    void released() {
        released.countDown();
    }

    /**
     * Waits a short time until another client may take the rank, and returns whether it may.
     *
     * @param ended whether the connection of this client has ended. Otherwise it may end at this moment: a program that was
     *     killed and started again can be faster than the news of its end
     */
    boolean awaitRelease(boolean ended) {
        try {
            boolean free = released.await(ended ? RELEASE_SECONDS : 1, TimeUnit.SECONDS);
            if (ended && !free) {
                LOG.warn("the task does not release {}", client.describe());
            }
            return free;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Frees the buffers. The connection must have ended, so that no thread of the client uses this object any more. */
    void close() {
        ClientBatches open = batches;
        batches = null;
        if (open != null) {
            open.close();
            return;
        }
        ClientBuffers given;
        synchronized (this) {
            closed = true;
            given = buffers;
        }
        if (given != null) {
            given.memory().close();
        }
    }
}
