package io.millrace.source;

import java.util.HashMap;
import java.util.Map;

/**
 * Into how many parts ranges are cut for each reader. No clock is needed, two things tell which readers are slow:
 *
 * <ul>
 *   <li>What they finish. Of the positions that all finished lately, a reader of average speed finished one part in as
 *       many as there are readers. What counts is a fading sum over the reader's own latest ranges, so that one that was
 *       late once is not taken for slow, and one that has become fast again is soon known to be.
 *   <li>Whom the others wait for. While the window is full all readers finish as much as the slowest lets them, and the
 *       first sign says nothing; but then the reader that holds the lowest range is late.
 * </ul>
 *
 * <p>Pure; for one thread.
 */
final class ReaderSpeeds {
    /** What the sums keep at each range: the latest four or so count. */
    private static final double KEPT = 0.75;

    /** Readers of half the average speed and more are given whole ranges; time slices alone make so much difference. */
    private static final double SLOW = 0.5;

    /** A slower reader's ranges are not cut into more parts than this: each costs two messages. */
    private static final int MOST_PARTS = 64;

    /** After so many ranges that nobody waited for, a late reader's ranges may grow again. */
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

    /** Positions that all readers have finished. */
    private long finishedPositions;

    /** A reader is given something; if it is the first, it counts from here on. */
    void given(int reader) {
        paces.computeIfAbsent(reader, first -> new Pace(finishedPositions));
    }

    /** A reader has finished so many positions. */
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
     * The others wait for a range of this reader.
     *
     * @param rangeParts how many of the range make a whole one
     */
    void late(int reader, long rangeParts, int readers) {
        given(reader);
        Pace pace = paces.get(reader);
        // A range from before its ranges were cut as they are now says nothing of how they are cut now.
        if (pace != null && rangeParts >= parts(reader, readers)) {
            pace.lateParts = Math.min(MOST_PARTS, 2 * parts(reader, readers));
            pace.onTime = 0;
        }
    }

    /** Nothing is known of a reader any more. */
    void forget(int reader) {
        paces.remove(reader);
    }

    /**
     * Into how many parts a range is cut for a reader, a power of two: 1 for one that is not slow, more for the slower,
     * so that it takes about as long for a part as others for a whole range.
     *
     * @param readers how many there are
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
