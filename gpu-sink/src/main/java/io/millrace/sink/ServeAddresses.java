package io.millrace.sink;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.accumulators.Accumulator;

/**
 * The accumulator with the addresses of all sinks of a served run, by rank. Flink's REST interface returns its value as
 * JSON text: {@code {"0": ["unix:/tmp/...", "127.0.0.1:40123"]}}.
 */
public final class ServeAddresses implements Accumulator<Map<Integer, List<String>>, Serializable> {
    /** The name of the accumulator. */
    public static final String ACCUMULATOR = "millrace serve";

    private static final long serialVersionUID = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Addresses addresses = new Addresses();

    /** The value, whose text is JSON. */
    private static final class Addresses extends TreeMap<Integer, List<String>> {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            try {
                return JSON.writeValueAsString(this);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("addresses are plain", e);
            }
        }
    }

    /** Returns an accumulator with the addresses of one sink. */
    static ServeAddresses of(int rank, List<String> addresses) {
        ServeAddresses one = new ServeAddresses();
        one.addresses.put(rank, List.copyOf(addresses));
        return one;
    }

    @Override
    public void add(Map<Integer, List<String>> more) {
        addresses.putAll(more);
    }

    @Override
    public Serializable getLocalValue() {
        return addresses;
    }

    @Override
    public void resetLocal() {
        addresses.clear();
    }

    @Override
    public void merge(Accumulator<Map<Integer, List<String>>, Serializable> other) {
        if (other.getLocalValue() instanceof Addresses more) {
            addresses.putAll(more);
        }
    }

    @Override
    @SuppressWarnings({"MissingSuperCall", "CloneableImplementsClone"})
    public ServeAddresses clone() {
        ServeAddresses copy = new ServeAddresses();
        copy.addresses.putAll(addresses);
        return copy;
    }
}
