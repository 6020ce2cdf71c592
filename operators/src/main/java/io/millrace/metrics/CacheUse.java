package io.millrace.metrics;

/**
 * The use of a stage's cache of results.
 *
 * @param asked the number of results that were needed, at least 0
 * @param found the number of them that the cache had, at most {@code asked}
 */
public record CacheUse(long asked, long found) {
    /** Returns the use of two caches together. */
    public CacheUse plus(CacheUse other) {
        return new CacheUse(asked + other.asked, found + other.found);
    }

    /** Returns the share of the results that the cache had, 0 to 1; not a number before the first one was needed. */
    public double share() {
        return asked == 0 ? Double.NaN : (double) found / asked;
    }
}
