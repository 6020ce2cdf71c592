package io.millrace.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The content of a YAML document with the source location of each part. Overrides change it in place before it is read. */
sealed interface Tree {
    SourceLocation location();

    /** Returns the plain value, as {@link io.millrace.option.OptionType} reads it; null for a key without a value. */
    @Nullable
    Object raw();

    /** A scalar: {@link Long}, {@link Double}, {@link Boolean}, {@link String}, or null where nothing was written. */
    record Leaf(SourceLocation location, @Nullable Object raw) implements Tree {}

    /** A list. */
    record Listing(SourceLocation location, ArrayList<Tree> items) implements Tree {
        @Override
        public Object raw() {
            List<@Nullable Object> values = new ArrayList<>();
            items.forEach(item -> values.add(item.raw()));
            return values;
        }
    }

    /** Keys and values, in the order of the file. */
    record Mapping(SourceLocation location, LinkedHashMap<String, Entry> entries) implements Tree {
        static Mapping empty(SourceLocation location) {
            return new Mapping(location, new LinkedHashMap<>());
        }

        /** Returns whether a section has a key, or has something else than keys in its place. */
        boolean names(String section, String key) {
            Entry found = entries.get(section);
            return found != null
                    && !(found.value() instanceof Mapping mapping
                            && !mapping.entries().containsKey(key));
        }

        @Override
        public Object raw() {
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            entries.forEach((key, entry) -> values.put(key, entry.value().raw()));
            return values;
        }
    }

    /**
     * A value under a key.
     *
     * @param keyLocation the location of the key; the value may begin on a later line
     */
    record Entry(SourceLocation keyLocation, Tree value) {}
}
