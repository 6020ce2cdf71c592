package io.millrace.sink.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.order.Sources;
import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** A line of {@code quarantine.jsonl}: one bad sample. Scripts rely on the names of its keys. */
public final class QuarantineLine {
    /** The key of the name of a mixture's dataset. */
    public static final String SOURCE = "source";

    /** The key of the index in a mixture's dataset. */
    public static final String SOURCE_INDEX = "source_index";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The bad sample of a line. */
    record Read(Split split, long index, BadSample bad) {}

    private QuarantineLine() {}

    /**
     * Returns a bad sample as a JSON object, to which the caller may add keys.
     *
     * @param index the sample's index in its dataset
     */
    public static ObjectNode of(long index, BadSample failure) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("dataset", failure.dataset());
        json.put("file", failure.file());
        if (failure.offset() < 0) {
            json.putNull("offset");
        } else {
            json.put("offset", failure.offset());
        }
        json.put("index", index);
        json.put("reason", failure.reason());
        json.put("stage", failure.stage());
        return json;
    }

    /**
     * Returns the line of a bad sample, without the end of the line. For a training sample of a mixture, it also has the name of the
     * dataset and the index in it.
     *
     * @param index the sample's index; where the run trains on several datasets, the index among all of them
     * @param sources the datasets that the run trains on
     */
    static String of(Split split, long index, BadSample bad, Sources sources) {
        ObjectNode json = of(index, bad).put("split", split.name().toLowerCase(Locale.ROOT));
        if (split == Split.TRAIN && sources.named()) {
            Sources.Place place = sources.place(index);
            json.put(SOURCE, sources.get(place.source()).name()).put(SOURCE_INDEX, place.index());
        }
        return json.toString();
    }

    /**
     * Reads a line that {@link #of(Split, long, BadSample, Sources)} returned.
     *
     * @throws IOException when it is damaged; the message names the file
     */
    static Read read(Path file, String line) throws IOException {
        try {
            JsonNode json = JSON.readTree(line);
            return new Read(
                    Split.valueOf(json.required("split").asText().toUpperCase(Locale.ROOT)),
                    json.required("index").asLong(),
                    new BadSample(
                            json.required("stage").asText(),
                            json.required("dataset").asText(),
                            json.required("file").asText(),
                            json.required("offset").asLong(-1),
                            json.required("reason").asText()));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new IOException(file + " is damaged: expected a bad sample, found " + line, e);
        }
    }
}
