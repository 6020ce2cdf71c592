package io.millrace.generate;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a generator wrote, or was asked to write.
 *
 * @param generator the generator's name
 * @param version the version of its drawing: images of different versions differ
 * @param options every option with its value, defaults included: numbers or text
 * @param counts good images by split or by class
 * @param bytes the size of all files together, bad ones included
 * @param bad the files that are broken on purpose
 */
public record Generation(
        String generator,
        int version,
        Map<String, Object> options,
        Map<String, Long> counts,
        long bytes,
        List<BadFile> bad) {

    /** A file broken on purpose: its path below the folder, with slashes, and how it is broken. */
    public record BadFile(String file, String kind) {}

    public Generation {
        options = sorted(options);
        counts = sorted(counts);
        bad = List.copyOf(bad);
    }

    /** The good images of all splits or classes. */
    public long images() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Whether the other was asked for in the same words, so that its bytes are the same. */
    public boolean sameRequest(Generation other) {
        return generator.equals(other.generator) && version == other.version && words().equals(other.words());
    }

    /** The request as a user would write it, such as {@code photos count=100 seed=1}. */
    public String request() {
        StringBuilder text = new StringBuilder(generator);
        options.forEach((key, value) -> text.append(' ').append(key).append('=').append(value));
        return text.toString();
    }

    /** Options as text, since a number read back from JSON may have another type. */
    private Map<String, String> words() {
        Map<String, String> words = new TreeMap<>();
        options.forEach((key, value) -> words.put(key, String.valueOf(value)));
        return words;
    }

    private static <V> SortedMap<String, V> sorted(Map<String, V> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
