package io.millrace.serve;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The specification of the delivery of a run's batches to clients. Flink sends it to each sink's task.
 *
 * @param run an id of this delivery, different from that of every other
 * @param host the name or address that sinks of other processes listen on
 * @param token the token that clients over TCP must have, 32 hexadecimal digits
 * @param world the number of ranks, at least 1
 * @param transforms whether the data servers apply the device transforms
 * @param planJson the part of the message PLAN that all ranks share, as a JSON object
 */
public record ServeSpec(
        String run,
        String host,
        String token,
        int world,
        Transforms transforms,
        @Nullable Tls tls,
        String planJson) implements Serializable {
    /** The side that applies the device transforms. */
    public enum Transforms {
        CLIENT,
        SERVER
    }

    /**
     * The certificate of the servers.
     *
     * @param keystore the path of a key store that each machine has
     * @param password the password of the key store and of its key
     */
    public record Tls(String keystore, String password) implements Serializable {
        @Override
        public String toString() {
            return "Tls[" + keystore + "]";
        }
    }

    public ServeSpec {
        if (world < 1) {
            throw new IllegalArgumentException("expected at least 1 rank, found " + world);
        }
    }

    /** Returns the specification without its secrets. */
    @Override
    public String toString() {
        return "ServeSpec[" + run + ", " + host + ", world " + world + "]";
    }
}
