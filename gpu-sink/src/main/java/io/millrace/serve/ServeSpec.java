package io.millrace.serve;

import java.io.Serializable;

/**
 * The specification of the delivery of a run's batches to clients. Flink sends it to each sink's task.
 *
 * @param run an id of this delivery, different from that of every other
 * @param network the machines whose clients can reach the sinks over TCP
 * @param token the token that clients over TCP must have, 32 hexadecimal digits
 * @param world the number of ranks, at least 1
 * @param planJson the part of the message PLAN that all ranks share, as a JSON object
 */
public record ServeSpec(String run, Network network, String token, int world, String planJson) implements Serializable {
    /** The machines whose clients can reach a sink over TCP, and the protection of their connections. */
    public enum Network {
        /** The sink's own machine. */
        LOOPBACK,
        /** All machines, with TLS. */
        TLS,
        /** All machines, without encryption. */
        PLAIN
    }

    public ServeSpec {
        if (world < 1) {
            throw new IllegalArgumentException("expected at least 1 rank, found " + world);
        }
    }

    /** Returns the specification without its secrets. */
    @Override
    public String toString() {
        return "ServeSpec[" + run + ", " + network + ", world " + world + "]";
    }
}
