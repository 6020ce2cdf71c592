package io.millrace.sink.trainer;

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
 * The rendezvous of a rank with its replicas. It listens from the beginning, and joins the other ranks when their
 * addresses are known. The task's thread opens it, sets the addresses and closes it. The trainer's thread joins the
 * ranks.
 */
public final class ReplicaRendezvous implements AutoCloseable {
    private final RankAddress address;
    private final Listener listener;
    private final CompletableFuture<RankAddresses> addresses = new CompletableFuture<>();
    private @Nullable Replicas joined;
    private boolean closed;

    private ReplicaRendezvous(RankAddress address, Listener listener) {
        this.address = address;
        this.listener = listener;
    }

    /** Listens at the TaskManager's address. */
    public static ReplicaRendezvous open(int rank, TaskManagerRuntimeInfo taskManager) throws IOException {
        Listener listener = Listener.open(InetAddress.getAllByName(taskManager.getTaskManagerBindAddress())[0]);
        // Several TaskManagers in one process have different folders, and are treated as different processes.
        RankAddress address = RankAddress.ofThisProcess(
                rank,
                taskManager.getTaskManagerExternalAddress(),
                listener.port(),
                taskManager.getTmpWorkingDirectory().toString());
        return new ReplicaRendezvous(address, listener);
    }

    /** Returns the address at which the others reach this rank. */
    RankAddress address() {
        return address;
    }

    /** Sets the addresses of all ranks. */
    void setAddresses(RankAddresses all) {
        addresses.complete(all);
    }

    /** Returns whether the addresses of all ranks are known. */
    boolean hasAddresses() {
        return addresses.isDone();
    }

    /** Waits until the addresses of all ranks are known, and joins the ranks. */
    Replicas join() throws IOException, InterruptedException {
        RankAddresses all;
        try {
            all = addresses.get();
        } catch (ExecutionException e) {
            throw new ExchangeException("the addresses of the other ranks never arrived", e);
        }
        Replicas replicas = Replicas.join(all, address.rank(), listener);
        synchronized (this) {
            joined = replicas;
            if (closed) {
                replicas.close();
            }
        }
        return replicas;
    }

    /** Leaves the other ranks, and ends every wait for them. */
    @Override
    public void close() {
        addresses.completeExceptionally(new ExchangeException("this rank has ended"));
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
