package io.millrace.sink;

import io.millrace.exchange.ExchangeException;
import io.millrace.exchange.Listener;
import io.millrace.exchange.RankAddress;
import io.millrace.exchange.RankAddresses;
import io.millrace.exchange.Replicas;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.jspecify.annotations.Nullable;

/**
 * A rank's place among its replicas: listens from the beginning, and joins the others when it is told where they are. The
 * task's thread makes, tells and closes; the trainer's joins.
 */
final class ReplicaRendezvous implements AutoCloseable {
    private final RankAddress seat;
    private final Listener listener;
    private final CompletableFuture<RankAddresses> table = new CompletableFuture<>();
    private @Nullable Replicas joined;
    private boolean closed;

    private ReplicaRendezvous(RankAddress seat, Listener listener) {
        this.seat = seat;
        this.listener = listener;
    }

    /** Listens where the TaskManager does. */
    static ReplicaRendezvous take(int rank, TaskManagerRuntimeInfo taskManager) throws IOException {
        Listener listener = Listener.open(InetAddress.getAllByName(taskManager.getTaskManagerBindAddress())[0]);
        // TaskManagers of one process have folders of their own, and count as processes.
        RankAddress seat = RankAddress.here(
                rank,
                taskManager.getTaskManagerExternalAddress(),
                listener.port(),
                taskManager.getTmpWorkingDirectory().toString());
        return new ReplicaRendezvous(seat, listener);
    }

    RankAddress seat() {
        return seat;
    }

    /** All ranks are there. */
    void heard(RankAddresses all) {
        table.complete(all);
    }

    /** Whether all ranks are there. */
    boolean hasHeard() {
        return table.isDone();
    }

    /** Waits until all ranks are there, and joins them. */
    Replicas join() throws IOException, InterruptedException {
        RankAddresses all;
        try {
            all = table.get();
        } catch (ExecutionException e) {
            throw new ExchangeException("the other ranks were never heard of", e);
        }
        Replicas replicas = Replicas.join(all, seat.rank(), listener);
        synchronized (this) {
            joined = replicas;
            if (closed) {
                replicas.close();
            }
        }
        return replicas;
    }

    /** Leaves the others, and ends every wait for them. */
    @Override
    public void close() {
        table.completeExceptionally(new ExchangeException("this rank has ended"));
        listener.close();
        Replicas leaving;
        synchronized (this) {
            closed = true;
            leaving = joined;
        }
        if (leaving != null) {
            leaving.close();
        }
    }
}
