package io.millrace.sink.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** A line of {@code quarantine.jsonl}: one bad sample. Scripts rely on the names of its keys. */
public final class QuarantineLine {
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

    /** Returns the line of a bad sample, without the end of the line. */
    static String of(Split split, long index, BadSample bad) {
        return of(index, bad)
                .put("split", split.name().toLowerCase(Locale.ROOT))
                .toString();
    }

    /**
     * Reads a line that {@link #of(Split, long, BadSample)} returned.
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
