package io.millrace.generate;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The data that a generator wrote, or is requested to write.
 *
 * @param generator the generator's name
 * @param version the version of the drawing; data of different versions differ
 * @param options every option with its value, including defaults: numbers or text
 * @param counts the number of good images by split or by class, or of documents
 * @param bytes the total size of all files, including broken ones
 * @param bad the intentionally broken files
 */
public record Generation(
        String generator,
        int version,
        Map<String, Object> options,
        Map<String, Long> counts,
        long bytes,
        List<BadFile> bad) {

    /** An intentionally broken file: its path below the folder, with slashes, and the kind of damage. */
    public record BadFile(String file, String kind) {}

    public Generation {
        options = sorted(options);
        counts = sorted(counts);
        bad = List.copyOf(bad);
    }

    /** Returns the number of good images or documents of all splits or classes. */
    public long samples() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Returns whether the other generation has the same generator, version and options. If it has, its bytes are the
     * same.
     */
    public boolean sameRequest(Generation other) {
        return generator.equals(other.generator) && version == other.version && words().equals(other.words());
    }

    /** Returns the request in the form of the command line, for example {@code photos count=100 seed=1}. */
    public String request() {
        StringBuilder text = new StringBuilder(generator);
        options.forEach((key, value) -> text.append(' ').append(key).append('=').append(value));
        return text.toString();
    }

    /** Returns the options as text, because a number that is read from JSON may have another type. */
    private Map<String, String> words() {
        Map<String, String> words = new TreeMap<>();
        options.forEach((key, value) -> words.put(key, String.valueOf(value)));
        return words;
    }

    private static <V> SortedMap<String, V> sorted(Map<String, V> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
