package io.millrace.dataset;

import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How files that are not on this machine are read. Travels to the tasks with the dataset. Without effect on what is
 * read, only on speed and on what is survived.
 *
 * @param requests how many are on their way at once, in each process, 1 to 1024
 * @param chunkBytes larger reads are divided into requests of this size, and the cache keeps pieces of it; 64 KiB to 1 GiB
 * @param retries how often a request is sent again after a failure that may pass, 0 or more
 * @param timeout how long one request may take before it counts as failed, at least 1 ms
 * @param cache where copies are kept, null for nowhere
 */
public record StorageOptions(
        int requests,
        int chunkBytes,
        int retries,
        Duration timeout,
        @Nullable CacheOptions cache) implements Serializable {
    /** The least number of bytes in a chunk. */
    public static final int SMALLEST_CHUNK = 1 << 16;

    /** The most bytes in a chunk. */
    public static final int LARGEST_CHUNK = 1 << 30;

    /** The most requests at once. */
    public static final int MOST_REQUESTS = 1024;

    /** Sixteen requests of 8 MiB keep a fast line busy; twenty retries outlast a minute without an answer. No cache. */
    public static final StorageOptions STANDARD = new StorageOptions(16, 8 << 20, 20, Duration.ofSeconds(30), null);

    public StorageOptions {
        requireRange("requests", requests, 1, MOST_REQUESTS);
        requireRange("bytes of a chunk", chunkBytes, SMALLEST_CHUNK, LARGEST_CHUNK);
        requireRange("retries", retries, 0, Integer.MAX_VALUE);
        if (timeout.toMillis() < 1) {
            throw new IllegalArgumentException("expected a timeout of at least 1 ms, found " + timeout);
        }
    }

    private static void requireRange(String what, int found, int least, int most) {
        if (found < least || found > most) {
            throw new IllegalArgumentException("expected " + least + " to " + most + " " + what + ", found " + found);
        }
    }

    /**
     * A cache on the local disk.
     *
     * @param folder where it lies; several processes may name the same
     * @param bytes the most it may take there, for each process, at least 1
     */
    public record CacheOptions(String folder, long bytes) implements Serializable {
        public CacheOptions {
            if (bytes < 1) {
                throw new IllegalArgumentException("expected a cache of at least 1 byte, found " + bytes);
            }
        }
    }
}
