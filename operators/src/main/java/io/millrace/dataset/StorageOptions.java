package io.millrace.dataset;

import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options for reading files that are not on this machine. They travel to the tasks with the dataset. They determine
 * how fast a read is and which failures it survives, but they do not change the data.
 *
 * @param requests the largest number of pending requests in each process, 1 to 1024
 * @param chunkBytes the size of a request in bytes, 64 KiB to 1 GiB; larger reads are divided into chunks of this size,
 *     and the cache stores such chunks
 * @param retries the number of times that a request is sent again after a transient failure, 0 or more
 * @param timeout the time after which a request without an answer counts as failed, at least 1 ms
 * @param cache the cache on the local disk, or null for no cache
 */
public record StorageOptions(
        int requests,
        int chunkBytes,
        int retries,
        Duration timeout,
        @Nullable CacheOptions cache) implements Serializable {
    /** The smallest number of bytes in a chunk. */
    public static final int SMALLEST_CHUNK = 1 << 16;

    /** The largest number of bytes in a chunk. */
    public static final int LARGEST_CHUNK = 1 << 30;

    /** The largest allowed number of pending requests. */
    public static final int MOST_REQUESTS = 1024;

    /**
     * The default options. Sixteen requests of 8 MiB keep a fast network connection busy. Twenty retries outlast a
     * minute without an answer. There is no cache.
     */
    public static final StorageOptions STANDARD = new StorageOptions(16, 8 << 20, 20, Duration.ofSeconds(30), null);

    public StorageOptions {
        requireRange("requests", requests, 1, MOST_REQUESTS);
        requireRange("bytes in a chunk", chunkBytes, SMALLEST_CHUNK, LARGEST_CHUNK);
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
     * @param folder the cache's folder, which several processes may share
     * @param bytes the largest total size of the copies that each process keeps, in bytes, at least 1
     */
    public record CacheOptions(String folder, long bytes) implements Serializable {
        public CacheOptions {
            if (bytes < 1) {
                throw new IllegalArgumentException("expected a cache of at least 1 byte, found " + bytes);
            }
        }
    }
}
