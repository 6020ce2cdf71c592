package io.millrace.sink.deliver;

import io.millrace.serve.Join;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The agreement of all ranks of a served run on the side that applies the device transforms: the side that the clients
 * name who are connected already. The class does not use Flink and is not thread-safe.
 */
final class TransformsAgreement {
    private final Map<Integer, Present> present = new TreeMap<>();

    private record Present(String client, Join.Transforms side) {
        String describe(int rank) {
            return "rank " + rank + " (" + client + ") "
                    + (side == Join.Transforms.SERVER
                            ? "lets the server apply the device transforms"
                            : "applies the device transforms itself");
        }
    }

    /**
     * Takes the side that the client of a rank names, in place of the rank's earlier client.
     *
     * @return the reason for which the client is refused; empty if it agrees with the other ranks
     */
    Optional<String> join(int rank, String client, Join.Transforms side) {
        present.remove(rank);
        Present joins = new Present(client, side);
        for (Map.Entry<Integer, Present> other : present.entrySet()) {
            if (other.getValue().side != side) {
                return Optional.of(joins.describe(rank) + ", but "
                        + other.getValue().describe(other.getKey()) + ": start all ranks with the same transforms");
            }
        }
        present.put(rank, joins);
        return Optional.empty();
    }

    /** Forgets the client of a rank, which has gone, or needs no more batches. */
    void leave(int rank) {
        present.remove(rank);
    }
}
