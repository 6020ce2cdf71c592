package io.millrace.dataset;

import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options for finding and reading files. They travel to the tasks with the dataset. They determine which links are
 * followed, how fast a read of a file on another machine is and which failures it survives, but they do not change the
 * data.
 *
 * @param requests the largest number of pending requests in each process, 1 to 1024
 * @param chunkBytes the size of a request in bytes, 64 KiB to 1 GiB; larger reads are divided into chunks of this size,
 *     and the cache stores such chunks
 * @param retries the number of times that a request is sent again after a transient failure, 0 or more
 * @param timeout the time after which a request without an answer counts as failed, at least 1 ms
 * @param cache the cache on the local disk, or null for no cache
 * @param followLinks whether links in the folders of a dataset are followed to places outside of these folders
 */
public record StorageOptions(
        int requests,
        int chunkBytes,
        int retries,
        Duration timeout,
        @Nullable CacheOptions cache,
        boolean followLinks) implements Serializable {
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

    /** Creates options with which links are not followed to places outside of a dataset's folder. */
    public StorageOptions(int requests, int chunkBytes, int retries, Duration timeout, @Nullable CacheOptions cache) {
        this(requests, chunkBytes, retries, timeout, cache, false);
    }

    public StorageOptions {
        requireRange("requests", requests, 1, MOST_REQUESTS);
        requireRange("bytes in a chunk", chunkBytes, SMALLEST_CHUNK, LARGEST_CHUNK);
        requireRange("retries", retries, 0, Integer.MAX_VALUE);
        if (timeout.toMillis() < 1) {
            throw new IllegalArgumentException("expected a timeout of at least 1 ms, found " + timeout);
        }
    }

    /** Returns the same options with another choice for links. */
    public StorageOptions withFollowLinks(boolean follow) {
        return new StorageOptions(requests, chunkBytes, retries, timeout, cache, follow);
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
