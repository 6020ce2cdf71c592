package io.millrace.source;

import java.util.HashMap;
import java.util.Map;

/**
 * The speed of each reader, and the number of parts into which ranges are cut for it. No clock is needed, because two
 * signs show which readers are slow:
 *
 * <ul>
 *   <li>The share of positions that a reader finishes. Of all positions finished lately, a reader of average speed has
 *       finished one part in as many as there are readers. The share is a fading sum over the reader's own latest ranges:
 *       a reader that was late once does not count as slow, and a reader that has become fast again soon counts as fast.
 *   <li>The reader for which the others wait. While the window is full, all readers finish as much as the slowest reader
 *       allows, and the first sign shows nothing. The reader that holds the lowest range is then late.
 * </ul>
 *
 * <p>Has no side effects beyond its own state; for one thread.
 */
final class ReaderSpeeds {
    /** The share of the sums that remains at each new range: about the latest four ranges count. */
    private static final double KEPT = 0.75;

    /**
     * A reader with half the average speed or more gets whole ranges, because CPU scheduling alone causes such
     * differences.
     */
    private static final double SLOW = 0.5;

    /** The largest number of parts of a range. Each part costs two messages. */
    private static final int MOST_PARTS = 64;

    /** After this many ranges for which no reader waited, the ranges of a late reader may grow again. */
    private static final int ON_TIME = 16;

    private static final class Pace {
        private long seenPositions;
        private double own;
        private double all;
        private int lateParts = 1;
        private int onTime;

        private Pace(long seenPositions) {
            this.seenPositions = seenPositions;
        }
    }

    private final Map<Integer, Pace> paces = new HashMap<>();

    /** The number of positions that all readers together have finished. */
    private long finishedPositions;

    /** Notes that a reader holds a range. A reader that is new is measured from here on. */
    void given(int reader) {
        paces.computeIfAbsent(reader, first -> new Pace(finishedPositions));
    }

    /** Notes that a reader has finished this many positions. */
    void finished(int reader, long positions) {
        given(reader);
        finishedPositions += positions;
        Pace pace = paces.get(reader);
        if (pace != null) {
            pace.own = pace.own * KEPT + positions;
            pace.all = pace.all * KEPT + (finishedPositions - pace.seenPositions);
            pace.seenPositions = finishedPositions;
            pace.onTime++;
            if (pace.onTime >= ON_TIME) {
                pace.onTime = 0;
                pace.lateParts = Math.max(1, pace.lateParts / 2);
            }
        }
    }

    /**
     * Notes that the other readers wait for a range of this reader.
     *
     * @param rangeParts the number of such ranges that make a whole one
     */
    void late(int reader, long rangeParts, int readers) {
        given(reader);
        Pace pace = paces.get(reader);
        // A range that was assigned before its reader's ranges were cut as short as now shows nothing about the
        // present length.
        if (pace != null && rangeParts >= parts(reader, readers)) {
            pace.lateParts = Math.min(MOST_PARTS, 2 * parts(reader, readers));
            pace.onTime = 0;
        }
    }

    /** Forgets a reader. */
    void forget(int reader) {
        paces.remove(reader);
    }

    /**
     * Returns the number of parts into which a range is cut for a reader, a power of two: 1 for a reader that is not
     * slow, and more for slower readers, so that a part takes such a reader about as long as a whole range takes the
     * others.
     *
     * @param readers the number of readers, at least 1
     */
    int parts(int reader, int readers) {
        Pace pace = paces.get(reader);
        return pace == null ? 1 : Math.max(pace.lateParts, partsBySpeed(pace, readers));
    }

    private static int partsBySpeed(Pace pace, int readers) {
        double relative = pace.all == 0 ? 1 : pace.own / pace.all * readers;
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
