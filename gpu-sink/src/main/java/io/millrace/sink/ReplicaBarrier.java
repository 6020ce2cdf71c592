package io.millrace.sink;

import io.millrace.exchange.RankAddresses;
import java.io.IOException;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;

/**
 * With replicas: this rank's seat among them, and how far they are with a checkpoint, all of which stop behind the same
 * batch. The task's thread alone calls.
 */
final class ReplicaBarrier implements AutoCloseable {
    private final ReplicaRendezvous seat;
    private long heldFor = -1;
    private long pausedFor = -1;
    private long resumed = -1;

    private ReplicaBarrier(ReplicaRendezvous seat) {
        this.seat = seat;
    }

    /** Takes a seat, and tells the coordinator where it is. */
    static ReplicaBarrier take(int rank, TaskManagerRuntimeInfo taskManager, OperatorEventGateway coordinator)
            throws IOException {
        ReplicaRendezvous taken = ReplicaRendezvous.take(rank, taskManager);
        coordinator.sendEventToCoordinator(new RankAddressEvent(taken.seat()));
        return new ReplicaBarrier(taken);
    }

    /** Where the trainer's thread joins the others. */
    ReplicaRendezvous seat() {
        return seat;
    }

    /** All ranks are there. */
    void heard(RankAddresses all) {
        seat.heard(all);
    }

    /** Whether all ranks are there. */
    boolean hasHeard() {
        return seat.hasHeard();
    }

    /** The replicas wait for this checkpoint, and this rank for its barrier. */
    void held(long checkpoint) {
        heldFor = checkpoint;
    }

    /** All replicas are at the barrier of this checkpoint. */
    void paused(long checkpoint) {
        pausedFor = checkpoint;
    }

    /** That checkpoint is over. */
    void resumed(long checkpoint) {
        resumed = Math.max(resumed, checkpoint);
    }

    /** Whether a checkpoint's barrier is waited for. */
    boolean isHeld() {
        return heldFor > resumed;
    }

    /** Whether all are at the barrier of that checkpoint. */
    boolean isPausedFor(long checkpoint) {
        return pausedFor >= checkpoint;
    }

    /** Leaves the others, and ends the trainer's wait for them. */
    @Override
    public void close() {
        seat.close();
    }
}
