package io.millrace.sink.files;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.sample.BadSample;

/** A line of {@code quarantine.jsonl}: one bad sample. Scripts rely on the names of its keys. */
public final class QuarantineLine {
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
}
