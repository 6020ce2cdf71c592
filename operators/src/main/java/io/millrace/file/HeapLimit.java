package io.millrace.file;

import java.io.IOException;
import java.util.List;

/**
 * The limit for one value that is read into the heap. It depends on the size of the heap only, and not on the memory that is free, so
 * that the same values are read each time.
 */
public final class HeapLimit {
    /** A value is copied once or twice on its way, and several threads read. */
    private static final int SHARE = 4;

    /** The largest number of bytes of an array in each JVM. */
    private static final long MOST_OF_ARRAY = Integer.MAX_VALUE - 8L;

    private static final int MEGABYTE = 1 << 20;

    /** The beginnings of the JVM's messages about the heap. */
    private static final List<String> OF_HEAP =
            List.of("Java heap space", "GC overhead limit exceeded", "Requested array size exceeds");

    /** The advice for a heap that is too small. */
    public static final String REMEDY =
            "a larger heap holds more (MILLRACE_JVM_OPTS=-Xmx8g, or taskmanager.memory.task.heap.size on a cluster)";

    private HeapLimit() {}

    /** Returns the largest size of a value in bytes. */
    public static long bytes() {
        return Runtime.getRuntime().maxMemory() / SHARE;
    }

    /**
     * Checks a size that a file states, before memory for it is allocated.
     *
     * @param what the value for the message, such as "a page"
     * @throws IOException when the value is larger than the limit
     */
    public static void require(String what, long bytes) throws IOException {
        String refusal = refusal(what, bytes);
        if (!refusal.isEmpty()) {
            throw new IOException(refusal);
        }
    }

    /** Returns the reason why a value of this size is not read, as {@link #require} reports it; an empty text when it is read. */
    public static String refusal(String what, long bytes) {
        return refusal(what, bytes, bytes());
    }

    private static String refusal(String what, long bytes, long most) {
        return bytes <= most
                ? ""
                : "expected " + what + " of at most " + most + " bytes, a quarter of the heap, found " + bytes + "; "
                        + REMEDY;
    }

    /** Returns the reason why a value of this size does not become one array; an empty text when it does. */
    public static String refusalOfArray(String what, long bytes) {
        return refusalOfArray(what, bytes, bytes());
    }

    /** Returns the reason for a heap that holds values of at most {@code most} bytes. */
    static String refusalOfArray(String what, long bytes, long most) {
        return bytes <= most && bytes > MOST_OF_ARRAY
                ? "expected " + what + " of at most " + MOST_OF_ARRAY + " bytes, the size of an array, found " + bytes
                : refusal(what, bytes, most);
    }

    /** Returns the reason of an error for the user: memory outside of the heap, or a heap that is too small. */
    public static String describe(OutOfMemoryError error) {
        String message = String.valueOf(error.getMessage());
        boolean heap = OF_HEAP.stream().anyMatch(message::startsWith);
        return heap
                ? "the heap of " + Runtime.getRuntime().maxMemory() / MEGABYTE + " MB is too small; " + REMEDY
                : "there is not enough memory: " + message;
    }
}
