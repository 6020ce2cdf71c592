package io.millrace.sink;

import io.millrace.batch.BatchSpec;
import io.millrace.device.BufferDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import io.millrace.serve.BufferContent;
import io.millrace.serve.BufferWriter;
import io.millrace.serve.Client;
import io.millrace.serve.ClientBuffers;
import io.millrace.serve.Join;
import io.millrace.serve.MemoryWish;
import io.millrace.serve.Message;
import io.millrace.serve.MessageType;
import io.millrace.serve.ProtocolException;
import io.millrace.serve.Refusal;
import io.millrace.serve.Seek;
import io.millrace.train.input.DeliveredRows;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a client to the delivery of its rank: its buffers and its place in the run. The client's thread calls the
 * methods of {@link Client.Listener}, which check the client's messages. The task's thread calls all others.
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

    /** The state on the task's thread since the client's first SEEK; null before. */
    private @Nullable Ring ring;

    /** The generation of the SEEK whose batches are sent. */
    private int generation;

    /** The time in which rows were put into batches, as far as {@link #takeAssembleNanos} has returned it. */
    private long takenNanos;

    private boolean atEnd;

    /** The buffers of a client, filled with batches. */
    private record Ring(
            ClientBuffers buffers,
            BatchRing batches,
            RowIntake intake,
            BufferWriter writer,
            DeliveredRows transformed,
            Handles handles) {}

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

    /** Returns the time in which rows were put into batches for this client since the last call, in nanoseconds. */
    long takeAssembleNanos() {
        long before = takenNanos;
        takenNanos = ring == null ? before : ring.intake.nanos();
        return takenNanos - before;
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
        if (ring == null) {
            ring = open(given);
        }
        // Rows of the earlier generation must not complete a batch any more, for example when a buffer is returned.
        ring.batches.reset(step);
        generation = next;
        atEnd = false;
        delivery.ask(this, step, origin);
    }

    private Ring open(ClientBuffers given) {
        Handles handles = new Handles();
        return handles.closeOnFailure(() -> {
            // Closes the memory, too.
            BufferDevice device = handles.add(new BufferDevice(given.memory(), served.columnOffsets()));
            BatchSpec columns = delivery.spec().train().spec().data().input();
            BatchRing batches = new BatchRing(
                    device, delivery.plan(), columns, given.memory().buffers(), 0);
            RowIntake intake = handles.add(new RowIntake(
                    delivery.spec(), batches, delivery.quarantine(), batch -> delivery.deliver(this, batch)));
            DeliveredRows transformed =
                    handles.add(served.transforms().open(delivery.plan().batch()));
            return new Ring(
                    given, batches, intake, new BufferWriter(served.layout(), given.memory()), transformed, handles);
        });
    }

    /** Begins with the step that the client has asked for, whose rows follow. There are none after the last step. */
    void begin(long step) {
        if (ring != null) {
            endAt(step);
        }
    }

    /** Takes the rows that arrive from now on. Batches without rows need not wait for any. */
    void open() {
        Ring of = ring;
        if (of != null) {
            of.batches.open();
            delivery.execute(this, of.intake::submitComplete, "send batches without rows");
        }
    }

    /** Drops the rows of incomplete batches. The rows that follow begin with this step or an earlier one. */
    void rewind(long step) {
        if (ring != null) {
            ring.batches.reset(step);
        }
    }

    /** Returns the number of the client's buffers; 0 while it has not asked for a step. */
    int buffers() {
        return ring == null ? 0 : ring.buffers.memory().buffers();
    }

    /** Throws when the client has made the memory shorter that is in use. */
    void requireWholeMemory() throws IOException {
        if (ring != null) {
            ring.buffers.memory().requireWhole();
        }
    }

    /** Returns the first step that was not sent; 0 while the client has not asked for one. */
    long next() {
        return ring == null ? 0 : ring.batches.next();
    }

    /** Returns the intake for rows; null while the client has no buffers. */
    @Nullable
    RowIntake intake() {
        return ring == null ? null : ring.intake;
    }

    /** Sends a sealed batch. */
    void send(DeviceBatch batch, BatchPlan.Batch planned) {
        Ring to = ring;
        if (to == null) {
            throw new IllegalStateException("a client without buffers has a batch");
        }
        int buffer = to.batches.entry(batch);
        BufferContent content = to.writer.write(batch, planned, buffer, generation);
        if (served.side() == Join.Transforms.SERVER) {
            long began = System.nanoTime();
            long address = to.buffers.memory().address(buffer);
            to.transformed.write(
                    batch, field -> address + served.layout().field(field).offset());
            delivery.transformed(System.nanoTime() - began);
        }
        boolean inline = to.buffers.isInline() || !content.isInBuffer();
        Message message = new Message(MessageType.BATCH, inline, generation, planned.step(), buffer, content.bytes());
        if (inline) {
            client.sendLarge(message, content);
        } else {
            client.send(message);
        }
        endAt(planned.number() + 1);
    }

    private void endAt(long next) {
        long steps = delivery.plan().batches();
        if (next == steps) {
            atEnd = true;
            client.send(Message.of(MessageType.END, generation, steps));
        }
    }

    @Override
    public void returned(long buffer) throws IOException {
        ClientBuffers given = buffers;
        if (given == null || buffer < 0 || buffer >= given.memory().buffers()) {
            throw new ProtocolException("the client returned buffer " + Long.toUnsignedString(buffer)
                    + ": expected 0 to " + (given == null ? 0 : given.memory().buffers() - 1));
        }
        delivery.execute(this, () -> release((int) buffer), "return a buffer");
    }

    private void release(int buffer) {
        Ring of = ring;
        if (of == null || !of.intake.returned(buffer)) {
            client.refuse(new Refusal(
                    Refusal.Code.PROTOCOL, "the client returned buffer " + buffer + ", which it does not have"));
        }
    }

    @Override
    public void stepped(int of, long step, long waitNanos, long busyNanos) throws IOException {
        if (waitNanos < 0 || busyNanos < 0) {
            throw new ProtocolException(
                    "the client reports a step of " + waitNanos + " and " + busyNanos + " ns: expected 0 or more");
        }
        delivery.execute(
                this,
                () -> {
                    if (of == generation) { // a SEEK has overtaken the steps of an earlier generation
                        delivery.stepped(this, step, waitNanos, busyNanos);
                    }
                },
                "report a step");
    }

    @Override
    public void done() {
        delivery.execute(this, () -> delivery.done(this), "the client is done");
    }

    @Override
    public void gone(@Nullable String reason) {
        delivery.execute(this, () -> delivery.gone(this, reason), "the client has gone");
    }

    /**
     * Returns the need of this client, which receives batches.
     *
     * @param oldest the first batch whose step its loop has not reported; null when there is none
     * @param request the number of the latest request of the sink
     */
    RankAgreement.Request place(@Nullable TrainedBatch oldest, long request) {
        return new RankAgreement.Request(
                client.describe(),
                next(),
                oldest == null ? next() : oldest.step(),
                buffers(),
                RankAgreement.Origin.RECEIVING,
                request);
    }

    /** Returns whether the last batch of the run was sent. */
    boolean isAtEnd() {
        return atEnd;
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
        Ring open = ring;
        ring = null;
        if (open != null) {
            open.handles.close();
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
