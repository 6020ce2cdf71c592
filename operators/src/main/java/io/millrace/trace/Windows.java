package io.millrace.trace;

/** The choice of the parts of a recording that are kept, the same in all processes. Pure functions. */
final class Windows {
    /** The length of a window within each period. */
    static final long WINDOW_NANOS = 100_000_000;

    /** The time from the beginning of one window to the beginning of the next. */
    static final long PERIOD_NANOS = 1_000_000_000;

    /** The largest stride. Beyond it no more windows are left out. */
    static final int MOST_STRIDE = 1 << 20;

    /** The mark of an event that belongs to its thread alone. */
    static final long UNMARKED = -1;

    /** The mark of an event so rare that it is always kept. */
    static final long RARE = -2;

    private Windows() {}

    /**
     * Returns whether an event is kept when one of {@code stride} windows is kept.
     *
     * @param mark {@link #RARE}, {@link #UNMARKED}, or the number of the event's micro-batch; either all events of a
     *     micro-batch are kept or none, so that its path can be followed
     * @param stride a power of two
     */
    static boolean keep(long from, long to, long mark, int stride) {
        if (mark == RARE || (mark >= 0 && (mixed(mark) & (stride - 1)) == 0)) {
            return true;
        }
        long period = stride * PERIOD_NANOS;
        long phase = from % period;
        return phase < WINDOW_NANOS || phase + (to - from) >= period;
    }

    /** Mixes all bits of a micro-batch's number, because the numbers may all be multiples of one number. */
    private static long mixed(long mark) {
        long mixed = mark * 0x9E3779B97F4A7C15L;
        return mixed >>> 32;
    }
}
