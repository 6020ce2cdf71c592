package io.millrace.sink.trainer;

import io.millrace.device.DeviceBatch;
import io.millrace.sink.task.TrainerMailbox;
import java.util.Objects;
import org.apache.flink.util.function.ThrowingRunnable;
import org.jspecify.annotations.Nullable;

/** The listener that passes the events of the trainer's thread to the task's thread, through the mailbox. */
final class TrainerEvents implements TrainerThread.Listener {
    private final TrainerMailbox mailbox;
    private final ThrowingRunnable<Exception> trained;
    private final @Nullable ReplicaBarrier replicas;

    /**
     * Creates a listener for one trainer.
     *
     * @param trained an action that the task's thread runs for each batch that the trainer is done with
     * @param replicas the barrier of the replicas; null when the trainer has none
     */
    TrainerEvents(TrainerMailbox mailbox, ThrowingRunnable<Exception> trained, @Nullable ReplicaBarrier replicas) {
        this.mailbox = mailbox;
        this.trained = trained;
        this.replicas = replicas;
    }

    @Override
    public void trained(DeviceBatch batch) {
        mailbox.execute(trained, "batch trained");
    }

    @Override
    public void held(long checkpoint) {
        mailbox.execute(() -> replicas().held(checkpoint), "replicas wait for a checkpoint");
    }

    @Override
    public void paused(long checkpoint) {
        mailbox.execute(() -> replicas().paused(checkpoint), "replicas are at a checkpoint");
    }

    private ReplicaBarrier replicas() {
        return Objects.requireNonNull(replicas, "a trainer without replicas has no barrier");
    }

    @Override
    public void ended() {
        mailbox.execute(() -> {}, "trainer ended"); // ends the wait for the report
    }

    @Override
    public void failed(Throwable cause) {
        mailbox.execute(() -> mailbox.fail(cause), "trainer failed");
    }
}
