package io.millrace.sink.trainer;

import io.millrace.exchange.RankAddresses;
import java.io.IOException;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;

/**
 * The barrier at which a rank and its replicas stop after the same batch for a checkpoint. It also owns this rank's
 * rendezvous with the other ranks. Only the task's thread calls it.
 */
final class ReplicaBarrier implements AutoCloseable {
    private final ReplicaRendezvous rendezvous;
    private long heldFor = -1;
    private long pausedFor = -1;
    private long resumed = -1;

    private ReplicaBarrier(ReplicaRendezvous rendezvous) {
        this.rendezvous = rendezvous;
    }

    /** Opens an address for the replicas, and sends it to the coordinator. */
    static ReplicaBarrier open(int rank, TaskManagerRuntimeInfo taskManager, OperatorEventGateway coordinator)
            throws IOException {
        ReplicaRendezvous opened = ReplicaRendezvous.open(rank, taskManager);
        coordinator.sendEventToCoordinator(new RankCoordinator.AddressEvent(opened.address()));
        return new ReplicaBarrier(opened);
    }

    /** Returns the rendezvous, at which the trainer's thread joins the others. */
    ReplicaRendezvous rendezvous() {
        return rendezvous;
    }

    /** Sets the addresses of all ranks. */
    void setAddresses(RankAddresses all) {
        rendezvous.setAddresses(all);
    }

    /** Returns whether the addresses of all ranks are known. */
    boolean hasAddresses() {
        return rendezvous.hasAddresses();
    }

    /** Records that the replicas wait for this checkpoint, whose barrier has not reached this rank yet. */
    void held(long checkpoint) {
        heldFor = checkpoint;
    }

    /** Records that all replicas are at the barrier of this checkpoint. */
    void paused(long checkpoint) {
        pausedFor = checkpoint;
    }

    /** Records that this checkpoint is over. */
    void resumed(long checkpoint) {
        resumed = Math.max(resumed, checkpoint);
    }

    /** Returns whether the replicas wait for a checkpoint's barrier. */
    boolean isHeld() {
        return heldFor > resumed;
    }

    /** Returns whether all replicas are at the barrier of this checkpoint. */
    boolean isPausedFor(long checkpoint) {
        return pausedFor >= checkpoint;
    }

    /** Leaves the other ranks, and ends the trainer's wait for them. */
    @Override
    public void close() {
        rendezvous.close();
    }
}
