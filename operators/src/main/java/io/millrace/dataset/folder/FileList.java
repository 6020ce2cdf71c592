package io.millrace.dataset.folder;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Paths by class in few large arrays, as a million {@code String}s would cost 100 MB: the bytes of all paths, and where
 * each ends. Filled by one thread, then read by any.
 */
final class FileList {
    /** Paths of a dataset may be more than an array holds, so they are cut into chunks; a path may straddle two. */
    private static final int CHUNK_BYTES = 1 << 20;

    private final List<String> classes = new ArrayList<>();
    private final List<Integer> classStarts = new ArrayList<>();
    private byte[][] chunks = new byte[1][CHUNK_BYTES];
    private long[] ends = new long[1024];
    private int size;

    /** The paths added from here on belong to this class. */
    void startClass(String name) {
        classes.add(name);
        classStarts.add(size);
    }

    /** Appends a path. */
    void add(String path) {
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, ends.length * 2);
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
        size++;
    }

    /** Lets go of what is not filled; returns itself. */
    FileList compact() {
        ends = Arrays.copyOf(ends, size);
        int last = chunks.length - 1;
        chunks[last] = Arrays.copyOf(chunks[last], (int) (start(size) - (long) last * CHUNK_BYTES));
        return this;
    }

    int size() {
        return size;
    }

    /** The names of the classes by label. */
    List<String> classes() {
        return List.copyOf(classes);
    }

    /** The path of that number. */
    String path(int index) {
        long start = start(index);
        byte[] bytes = new byte[(int) (ends[index] - start)];
        for (int i = 0; i < bytes.length; i++) {
            long at = start + i;
            bytes[i] = chunks[(int) (at / CHUNK_BYTES)][(int) (at % CHUNK_BYTES)];
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The class of that path. */
    int label(int index) {
        int low = 0;
        int high = classStarts.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (classStarts.get(middle) <= index) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private long start(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }
}
