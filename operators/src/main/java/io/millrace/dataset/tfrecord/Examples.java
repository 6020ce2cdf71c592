package io.millrace.dataset.tfrecord;

import io.millrace.dataset.tfrecord.WireReader.MalformedWireException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A reader of {@code tf.train.Example} messages. An Example contains features, which are a map from names to lists.
 * Features that were not requested are skipped.
 */
final class Examples {
    private static final int FEATURES = 1;
    private static final int ENTRY = 1;
    private static final int KEY = 1;
    private static final int VALUE = 2;

    private Examples() {}

    /** Returns the requested features that the Example has. */
    static Map<String, Feature> read(byte[] example, int start, int end, Set<String> requested)
            throws MalformedWireException {
        Map<String, Feature> found = new HashMap<>();
        walk(new WireReader(example, start, end), (name, value) -> {
            if (requested.contains(name)) {
                found.put(name, Feature.read(value));
            }
        });
        return found;
    }

    /** Returns the names of all features, sorted. */
    static Set<String> names(byte[] example, int start, int end) throws MalformedWireException {
        Set<String> names = new TreeSet<>();
        walk(new WireReader(example, start, end), (name, value) -> names.add(name));
        return names;
    }

    private interface Visitor {
        void entry(String name, WireReader value) throws MalformedWireException;
    }

    private static void walk(WireReader example, Visitor visitor) throws MalformedWireException {
        while (example.hasMore()) {
            int tag = example.tag();
            if (tag == WireReader.tag(FEATURES, WireReader.BYTES)) {
                features(example.message(), visitor);
            } else {
                example.skip(tag);
            }
        }
    }

    private static void features(WireReader features, Visitor visitor) throws MalformedWireException {
        while (features.hasMore()) {
            int tag = features.tag();
            if (tag == WireReader.tag(ENTRY, WireReader.BYTES)) {
                entry(features.message(), visitor);
            } else {
                features.skip(tag);
            }
        }
    }

    private static void entry(WireReader entry, Visitor visitor) throws MalformedWireException {
        String name = "";
        WireReader value = new WireReader(new byte[0], 0, 0);
        while (entry.hasMore()) {
            int tag = entry.tag();
            if (tag == WireReader.tag(KEY, WireReader.BYTES)) {
                name = new String(entry.message().copy(), StandardCharsets.UTF_8);
            } else if (tag == WireReader.tag(VALUE, WireReader.BYTES)) {
                value = entry.message();
            } else {
                entry.skip(tag);
            }
        }
        visitor.entry(name, value);
    }
}
