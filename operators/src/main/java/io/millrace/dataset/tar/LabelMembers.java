package io.millrace.dataset.tar;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.LabelCandidates;
import io.millrace.dataset.fields.LabelCandidates.Kind;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.json.JsonDocument;
import java.io.IOException;

/**
 * The search for what could be the label in the members of one sample: members of numbers, short texts, and values of JSON members.
 *
 * <p>Tested by {@code TarDatasetTest}.
 */
final class LabelMembers {
    /** The largest member that is read. Longer ones hold no single label. */
    static final int MOST_BYTES = 1 << 20;

    /** The largest number of characters of a text that could be the name of a class. */
    private static final int MOST_CHARACTERS = 100;

    /** The largest depth of objects in JSON in which values are proposed. */
    private static final int MOST_DEPTH = 3;

    private final LabelCandidates candidates = new LabelCandidates();

    /** A function that reads a member's content. */
    @FunctionalInterface
    interface Content {
        byte[] read() throws IOException;
    }

    /** Adds what could be the label in a member with a suffix. */
    void add(String suffix, Content content, ValuePlace place) throws IOException {
        if (MemberSource.isNumber(suffix)) {
            candidates.add(suffix, Kind.WHOLE_NUMBER);
        } else if (MemberSource.isJson(suffix)) {
            try {
                addValues(suffix, JsonDocument.parse(content.read(), place), 0);
            } catch (BadSampleException e) {
                // JSON that cannot be read proposes nothing. A field that reads it makes the sample bad.
            }
        } else if (MemberSource.isText(suffix) && content.read().length <= MOST_CHARACTERS) {
            candidates.add(suffix, Kind.TEXT);
        }
    }

    private void addValues(String path, JsonNode node, int depth) {
        if (node.isObject() && depth < MOST_DEPTH) {
            node.properties().forEach(entry -> {
                // A slash separates the parts of a path, so it cannot lead to such a key.
                if (!entry.getKey().contains("/")) {
                    addValues(path + "/" + entry.getKey(), entry.getValue(), depth + 1);
                }
            });
        } else if (node.isIntegralNumber()) {
            candidates.add(path, Kind.WHOLE_NUMBER);
        } else if (node.isTextual() && node.asText().length() <= MOST_CHARACTERS) {
            candidates.add(path, Kind.TEXT);
        }
    }

    LabelCandidates found() {
        return candidates;
    }
}
