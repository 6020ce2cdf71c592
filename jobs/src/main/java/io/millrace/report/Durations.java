package io.millrace.report;

import java.util.Locale;

/** Durations as text for people. Pure. */
final class Durations {
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;

    private Durations() {}

    /** Returns a duration as {@code 1.2 s}, {@code 42 s}, {@code 3 min 20 s} or {@code 2 h 5 min}. */
    static String text(double seconds) {
        long whole = Math.round(seconds);
        if (whole < MINUTE) {
            return String.format(Locale.ROOT, seconds < 20 ? "%.1f s" : "%.0f s", seconds);
        }
        return whole < HOUR
                ? whole / MINUTE + " min " + whole % MINUTE + " s"
                : whole / HOUR + " h " + whole % HOUR / MINUTE + " min";
    }
}
