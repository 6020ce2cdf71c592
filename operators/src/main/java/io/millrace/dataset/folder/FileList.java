package io.millrace.dataset.folder;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A compact list of paths and their labels. A few large arrays store the bytes of all paths and the end of each path. A
 * million {@code String}s would cost 100 MB. One thread fills the list, and then any thread may read it.
 */
final class FileList {
    /**
     * The size of a chunk. The paths of a dataset may be longer than one array, so they are cut into chunks; a path
     * may lie in two chunks.
     */
    private static final int CHUNK_BYTES = 1 << 20;

    private byte[][] chunks = new byte[1][CHUNK_BYTES];
    private long[] ends = new long[1024];
    private int[] labels = new int[1024];
    private int size;

    /** The reasons why samples have no label, by the index of their path. */
    private final Map<Integer, String> problems = new HashMap<>();

    /** The reasons why there is no file at a path, by its index. */
    private final Map<Integer, String> missing = new HashMap<>();

    /** Appends a path without a label, whose sample is bad for the given reason. */
    void addWithoutLabel(String path, String reason) {
        problems.put(size, reason);
        add(path, 0);
    }

    /** Appends a path without a file, whose sample is bad for the given reason. */
    void addMissing(String path, String reason) {
        missing.put(size, reason);
        addWithoutLabel(path, reason);
    }

    /** Returns the reason why there is no file at the path at an index; empty when there is one. */
    Optional<String> missing(int index) {
        return missing.isEmpty() ? Optional.empty() : Optional.ofNullable(missing.get(index));
    }

    /** Appends a path. */
    void add(String path, int label) {
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, ends.length * 2);
            labels = Arrays.copyOf(labels, ends.length);
        }
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        long end = start(size);
        for (byte value : bytes) {
            int chunk = (int) (end / CHUNK_BYTES);
            if (chunk == chunks.length) {
                chunks = Arrays.copyOf(chunks, chunks.length + 1);
                chunks[chunk] = new byte[CHUNK_BYTES];
            }
            chunks[chunk][(int) (end % CHUNK_BYTES)] = value;
            end++;
        }
        ends[size] = end;
        labels[size] = label;
        size++;
    }

    /** Releases the unused memory and returns this list. */
    FileList compact() {
        ends = Arrays.copyOf(ends, size);
        labels = Arrays.copyOf(labels, size);
        int last = chunks.length - 1;
        chunks[last] = Arrays.copyOf(chunks[last], (int) (start(size) - (long) last * CHUNK_BYTES));
        return this;
    }

    int size() {
        return size;
    }

    /** Returns the path at an index. */
    String path(int index) {
        long start = start(index);
        byte[] bytes = new byte[(int) (ends[index] - start)];
        for (int i = 0; i < bytes.length; i++) {
            long at = start + i;
            bytes[i] = chunks[(int) (at / CHUNK_BYTES)][(int) (at % CHUNK_BYTES)];
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns the reason why the path at an index has no label; empty when it has one. */
    Optional<String> problem(int index) {
        return problems.isEmpty() ? Optional.empty() : Optional.ofNullable(problems.get(index));
    }

    /** Returns the label of the path at an index; 0 when it has none. */
    int label(int index) {
        return labels[index];
    }

    /** Replaces every label by {@code to[label]}. */
    void relabel(int[] to) {
        Arrays.setAll(labels, i -> i < size && problem(i).isEmpty() ? to[labels[i]] : 0);
    }

    private long start(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }
}
