package io.millrace.sink.deliver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.serve.Machine;
import io.millrace.serve.ServeSpec;
import io.millrace.serve.SinkPlace;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.accumulators.Accumulator;

/**
 * The accumulator with the places of all sinks of a served run, by rank. Flink's REST interface returns its value as JSON text:
 * {@code {"0": ["unix:/tmp/...", "127.0.0.1:40123"], "machines": {"0": {"name": "worker-1", "id": "..."}}}}.
 */
public final class ServeAddresses implements Accumulator<Map<Integer, SinkPlace>, Serializable> {
    private static final String TRAINING = "millrace serve";
    private static final String EVALUATION = "millrace serve evaluation";

    private static final long serialVersionUID = 1;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MACHINES = "machines";

    private final Places places = new Places();

    /** The value, whose text is JSON. */
    private static final class Places extends TreeMap<Integer, SinkPlace> {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            ObjectNode text = JSON.createObjectNode();
            forEach((rank, place) -> text.set(String.valueOf(rank), JSON.valueToTree(place.addresses())));
            ObjectNode machines = text.putObject(MACHINES);
            forEach((rank, place) -> machines.set(String.valueOf(rank), JSON.valueToTree(place.machine())));
            return text.toString();
        }
    }

    /** Returns the name of the accumulator with the sinks of a stream. */
    public static String accumulator(ServeSpec.Stream stream) {
        return stream == ServeSpec.Stream.TRAINING ? TRAINING : EVALUATION;
    }

    /** Returns an accumulator with the place of one sink. */
    static ServeAddresses of(int rank, SinkPlace place) {
        ServeAddresses one = new ServeAddresses();
        one.places.put(rank, place);
        return one;
    }

    /**
     * Returns the places of the sinks, by rank, in the text of an accumulator.
     *
     * @throws IOException when the text is not that of this accumulator
     */
    public static Map<Integer, SinkPlace> parse(String text) throws IOException {
        Map<Integer, SinkPlace> places = new TreeMap<>();
        try {
            ObjectNode read = JSON.readValue(text, ObjectNode.class);
            for (Map.Entry<String, JsonNode> machine : read.required(MACHINES).properties()) {
                String rank = machine.getKey();
                places.put(
                        Integer.valueOf(rank),
                        new SinkPlace(
                                JSON.convertValue(read.required(rank), new TypeReference<List<String>>() {}),
                                JSON.treeToValue(machine.getValue(), Machine.class)));
            }
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new IOException("the addresses of the sinks cannot be read: " + text, e);
        }
        return places;
    }

    @Override
    public void add(Map<Integer, SinkPlace> more) {
        places.putAll(more);
    }

    @Override
    public Serializable getLocalValue() {
        return places;
    }

    @Override
    public void resetLocal() {
        places.clear();
    }

    @Override
    public void merge(Accumulator<Map<Integer, SinkPlace>, Serializable> other) {
        if (other.getLocalValue() instanceof Places more) {
            places.putAll(more);
        }
    }

    @Override
    @SuppressWarnings({"MissingSuperCall", "CloneableImplementsClone"})
    public ServeAddresses clone() {
        ServeAddresses copy = new ServeAddresses();
        copy.places.putAll(places);
        return copy;
    }
}
