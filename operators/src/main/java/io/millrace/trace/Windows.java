package io.millrace.trace;

/** Which part of a recording is kept, the same in all processes. Pure. */
final class Windows {
    /** Of a period. */
    static final long WINDOW_NANOS = 100_000_000;

    /** From the beginning of one window to that of the next. */
    static final long PERIOD_NANOS = 1_000_000_000;

    /** Beyond this nothing more is left out. */
    static final int MOST_STRIDE = 1 << 20;

    /** An event that is nobody's but its thread's. */
    static final long UNMARKED = -1;

    /** An event so rare that it is always kept. */
    static final long RARE = -2;

    private Windows() {}

    /**
     * Whether an event is kept with one window of so many.
     *
     * @param mark {@link #RARE}, {@link #UNMARKED}, or the number of the micro-batch that it is of: of one that is kept all is,
     *     wherever it is, so that its way can be followed
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

    /** Micro-batches' numbers are multiples of something: all bits have to tell. */
    private static long mixed(long mark) {
        long mixed = mark * 0x9E3779B97F4A7C15L;
        return mixed >>> 32;
    }
}
