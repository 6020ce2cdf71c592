package io.millrace.sink.trainer;

import io.millrace.exchange.RankAddress;
import io.millrace.exchange.RankAddresses;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator through which ranks find one another. Each rank sends its address to the JobManager. When all
 * addresses have arrived, the coordinator sends them to each rank. After a failure the exchange of addresses is
 * repeated with another token. Flink's main thread calls it. It has no state in checkpoints.
 */
final class RankCoordinator implements OperatorCoordinator {
    /** An event that carries a rank's address to the coordinator. */
    record AddressEvent(RankAddress address) implements OperatorEvent {}

    /** An event that carries the addresses of all ranks from the coordinator to a rank. */
    record AddressesEvent(RankAddresses addresses) implements OperatorEvent {}

    private final int ranks;
    private final Map<Integer, RankAddress> addresses = new TreeMap<>();
    private final Map<Integer, SubtaskGateway> gateways = new TreeMap<>();

    RankCoordinator(int ranks) {
        this.ranks = ranks;
    }

    @Override
    public void start() {}

    @Override
    public void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {
        if (event instanceof AddressEvent sent && sent.address().rank() == subtask) {
            addresses.put(subtask, sent.address());
            sendWhenComplete();
        } else {
            throw new IllegalStateException("subtask " + subtask + " of the trainers sent " + event);
        }
    }

    @Override
    public void executionAttemptReady(int subtask, int attempt, SubtaskGateway gateway) {
        gateways.put(subtask, gateway);
        sendWhenComplete();
    }

    private void sendWhenComplete() {
        if (addresses.size() < ranks || gateways.size() < ranks) {
            return;
        }
        AddressesEvent event = new AddressesEvent(RankAddresses.of(new ArrayList<>(addresses.values())));
        addresses.clear();
        for (SubtaskGateway gateway : gateways.values()) {
            var unused = gateway.sendEvent(event); // if the event does not arrive, Flink fails that subtask
        }
    }

    @Override
    public void executionAttemptFailed(int subtask, int attempt, @Nullable Throwable reason) {
        forget(subtask);
    }

    @Override
    public void subtaskReset(int subtask, long checkpointId) {
        forget(subtask);
    }

    private void forget(int subtask) {
        addresses.remove(subtask);
        gateways.remove(subtask);
    }

    @Override
    public void checkpointCoordinator(long checkpointId, CompletableFuture<byte[]> result) {
        result.complete(new byte[0]);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {}

    @Override
    public void resetToCheckpoint(long checkpointId, byte @Nullable [] data) {
        addresses.clear();
        gateways.clear();
    }

    @Override
    public void close() {}
}
