package io.millrace.sink.deliver;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.device.BufferDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.serve.BufferContent;
import io.millrace.serve.BufferWriter;
import io.millrace.serve.Client;
import io.millrace.serve.ClientBuffers;
import io.millrace.serve.Join;
import io.millrace.serve.Message;
import io.millrace.serve.MessageType;
import io.millrace.serve.Refusal;
import io.millrace.serve.Reminder;
import io.millrace.sink.figures.TrainedBatch;
import io.millrace.sink.files.QuarantineLog;
import io.millrace.sink.rows.BatchRing;
import io.millrace.sink.rows.RowIntake;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.train.input.DeliveredRows;
import java.io.IOException;

/**
 * The batches of one client. Rows go in and are put into the client's buffers; complete batches are counted as delivered, and go
 * out to the client, in order. Only the task's thread calls it.
 *
 * <p>Tested by {@code DeliveryTest}.
 */
final class ClientBatches implements AutoCloseable {
    private final Client client;
    private final ServedPlan served;
    private final RankPlan plan;
    private final DeliveredSteps steps;
    private final Reminder reminder;
    private final ClientBuffers buffers;
    private final BatchRing ring;
    private final RowIntake intake;
    private final BufferWriter writer;
    private final DeliveredRows transformed;
    private final Handles handles = new Handles();

    /** The generation of the SEEK whose batches are sent. */
    private int generation;

    /** The time in which rows were put into batches, as far as {@link #takeAssembleNanos} has returned it. */
    private long takenNanos;

    private boolean atEnd;

    /**
     * Takes ownership of the client's buffers, even if the call fails.
     *
     * @param spec the specification as the rank sees it
     * @param steps counts the batches that are sent
     * @param reminder hears that the client waits no more
     */
    ClientBatches(
            Client client,
            ClientBuffers buffers,
            ServedPlan served,
            SinkSpec spec,
            RankPlan plan,
            QuarantineLog quarantine,
            DeliveredSteps steps,
            Reminder reminder) {
        this.client = client;
        this.buffers = buffers;
        this.served = served;
        this.plan = plan;
        this.steps = steps;
        this.reminder = reminder;
        BufferDevice device =
                handles.add(new BufferDevice(buffers.memory(), served.columnOffsets())); // closes the memory, too
        BatchSpec columns = spec.train().spec().data().input();
        this.ring = handles.closeOnFailure(
                () -> new BatchRing(device, plan, columns, buffers.memory().buffers(), 0));
        this.intake = handles.add(new RowIntake(spec, ring, quarantine, this::send));
        this.transformed =
                handles.closeOnFailure(() -> handles.add(served.transforms().open(plan.batch())));
        this.writer = new BufferWriter(served.layout(), buffers.memory());
    }

    /** Accepts the rows of a micro-batch. Takes ownership of the micro-batch, even if the call fails. */
    void accept(MicroBatch microBatch) throws IOException {
        intake.accept(microBatch);
    }

    /** Sends the batches that are complete. */
    void submitComplete() {
        intake.submitComplete();
    }

    /** Takes back a buffer that the client has returned. */
    void returned(int buffer) {
        if (!intake.returned(buffer)) {
            client.refuse(new Refusal(
                    Refusal.Code.PROTOCOL, "the client returned buffer " + buffer + ", which it does not have"));
        }
    }

    /** Returns a number that changes when rows are put into the client's memory. */
    long filled() {
        return intake.nanos();
    }

    /** Throws when the client has made its memory shorter. */
    void requireWholeMemory() throws IOException {
        buffers.memory().requireWhole();
    }

    private void send(DeviceBatch batch) {
        BatchPlan.Batch planned = plan.batch(batch.number());
        if (plan.rankRows().ranks() > 1 && batch.filling().present() == 0) {
            batch.filling().pad(); // the other ranks do this step
        }
        batch.seal();
        reminder.forget();
        steps.sent(TrainedBatch.of(batch, planned), planned);
        int buffer = ring.entry(batch);
        BufferContent content = writer.write(batch, planned, buffer, generation);
        if (served.side() == Join.Transforms.SERVER) {
            long began = System.nanoTime();
            long address = buffers.memory().address(buffer);
            transformed.write(
                    batch, field -> address + served.layout().field(field).offset());
            steps.transformed(System.nanoTime() - began); // belongs to the assembly of batches
        }
        boolean inline = buffers.isInline() || !content.isInBuffer();
        Message message = new Message(MessageType.BATCH, inline, generation, planned.step(), buffer, content.bytes());
        if (inline) {
            client.sendLarge(message, content);
        } else {
            client.send(message);
        }
        endAt(planned.number() + 1);
    }

    /**
     * Drops the batches on their way, because the client asks for another step. Rows of the earlier generation must not
     * complete a batch any more, for example when a buffer is returned.
     */
    void seek(int next, long step) {
        ring.reset(step);
        generation = next;
        atEnd = false;
    }

    /** Drops the rows of incomplete batches. The rows that follow begin with this step or an earlier one. */
    void rewind(long step) {
        ring.reset(step);
    }

    /** Tells the client that there are no more batches, if the step {@code next} is behind the last one. */
    void endAt(long next) {
        long all = plan.batches();
        if (next == all) {
            atEnd = true;
            client.send(Message.of(MessageType.END, generation, all));
        }
    }

    /** Takes the rows that arrive from now on. */
    void open() {
        ring.open();
    }

    /** Returns whether all buffers are full and rows are parked. Further rows would be parked, too. */
    boolean isFull() {
        return intake.isFull();
    }

    /** Returns whether the last batch of the run was sent. */
    boolean isAtEnd() {
        return atEnd;
    }

    /** Returns the generation of the client's SEEK whose batches are sent. */
    int generation() {
        return generation;
    }

    /** Returns the first step that was not sent. */
    long next() {
        return ring.next();
    }

    /**
     * Returns the need of the client, which receives batches.
     *
     * @param request the number of its latest request
     */
    RankAgreement.Request place(long request) {
        TrainedBatch oldest = steps.oldest(); // its loop has not reported the step of this batch
        return new RankAgreement.Request(
                client.describe(),
                next(),
                oldest == null ? next() : oldest.step(),
                size(),
                RankAgreement.Origin.RECEIVING,
                request);
    }

    /** Returns the number of the client's buffers. */
    int size() {
        return buffers.memory().buffers();
    }

    /** Returns the time in which rows were put into batches since the last call, in nanoseconds. */
    long takeAssembleNanos() {
        long before = takenNanos;
        takenNanos = intake.nanos();
        return takenNanos - before;
    }

    /** Frees the buffers. The connection must have ended, so that no thread of the client uses this object any more. */
    @Override
    public void close() {
        handles.close();
    }
}
