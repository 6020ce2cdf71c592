package io.millrace.source;

import java.util.HashMap;
import java.util.Map;

/**
 * The speed of each reader, and the number of parts into which ranges are cut for it. No clock is needed, because two
 * signs show which readers are slow:
 *
 * <ul>
 *   <li>The share of positions that a reader finishes. Of all positions finished lately, a reader of average speed has
 *       finished 1/n, where n is the number of readers. The share is computed over the reader's own latest ranges, and
 *       older ranges count less: a reader that was late once does not count as slow, and a reader that has become fast
 *       again soon counts as fast.
 *   <li>The reader for which the others wait. While the window is full, all readers finish only as much as the slowest reader
 *       allows, so the first sign shows no difference. The reader that holds the lowest range is late in this case.
 * </ul>
 *
 * <p>The class has no effect besides its own state. One thread uses an instance.
 */
final class ReaderSpeeds {
    /** The share of the sums that remains at each new range. As a result, about the latest four ranges count. */
    private static final double KEPT = 0.75;

    /**
     * The share of the average speed below which a reader gets shorter ranges. CPU scheduling alone causes smaller differences
     * than this.
     */
    private static final double SLOW = 0.5;

    /** The largest number of parts of a range. Each part costs two messages. */
    private static final int MOST_PARTS = 64;

    /** The number of ranges without a waiting reader after which the ranges of a late reader may grow again. */
    private static final int ON_TIME = 16;

    private static final class Speed {
        private long seenPositions;
        private double own;
        private double all;
        private int lateParts = 1;
        private int onTime;

        private Speed(long seenPositions) {
            this.seenPositions = seenPositions;
        }
    }

    private final Map<Integer, Speed> speeds = new HashMap<>();

    /** The number of positions that all readers together have finished. */
    private long finishedPositions;

    /** Records that a reader holds a range. The measurement of a new reader begins here. */
    void assigned(int reader) {
        speeds.computeIfAbsent(reader, first -> new Speed(finishedPositions));
    }

    /** Records that a reader has finished a number of positions. */
    void finished(int reader, long positions) {
        assigned(reader);
        finishedPositions += positions;
        Speed speed = speeds.get(reader);
        if (speed != null) {
            speed.own = speed.own * KEPT + positions;
            speed.all = speed.all * KEPT + (finishedPositions - speed.seenPositions);
            speed.seenPositions = finishedPositions;
            speed.onTime++;
            if (speed.onTime >= ON_TIME) {
                speed.onTime = 0;
                speed.lateParts = Math.max(1, speed.lateParts / 2);
            }
        }
    }

    /**
     * Records that the other readers wait for a range of this reader.
     *
     * @param rangeParts the number of such ranges that make a whole one
     */
    void late(int reader, long rangeParts, int readers) {
        assigned(reader);
        Speed speed = speeds.get(reader);
        // A range that was assigned when the reader's ranges were longer shows nothing about their present length.
        if (speed != null && rangeParts >= parts(reader, readers)) {
            speed.lateParts = Math.min(MOST_PARTS, 2 * parts(reader, readers));
            speed.onTime = 0;
        }
    }

    /** Forgets a reader. */
    void forget(int reader) {
        speeds.remove(reader);
    }

    /**
     * Returns the number of parts into which a range is cut for a reader, a power of two: 1 for a reader that is not
     * slow, and more for slower readers, so that a part takes such a reader about as long as a whole range takes the
     * others.
     *
     * @param readers the number of readers, at least 1
     */
    int parts(int reader, int readers) {
        Speed speed = speeds.get(reader);
        return speed == null ? 1 : Math.max(speed.lateParts, partsBySpeed(speed, readers));
    }

    private static int partsBySpeed(Speed speed, int readers) {
        double relative = speed.all == 0 ? 1 : speed.own / speed.all * readers;
        if (relative >= SLOW) {
            return 1;
        }
        int parts = 2;
        while (parts < MOST_PARTS && parts * relative < 1) {
            parts *= 2;
        }
        return parts;
    }
}
