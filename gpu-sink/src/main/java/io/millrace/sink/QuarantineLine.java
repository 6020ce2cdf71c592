package io.millrace.sink;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.sample.BadSample;

/** A line of {@code quarantine.jsonl}, whoever writes it; scripts rely on the names. */
public final class QuarantineLine {
    private QuarantineLine() {}

    /**
     * What is known of a bad sample; the caller may add to it.
     *
     * @param index of the sample in its dataset
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
