package io.millrace.rest;

import org.jspecify.annotations.Nullable;

/** Conversions with which tests build readings. */
public final class Readings {
    private static final double NANOS_PER_MILLI = 1e6;

    private Readings() {}

    /** Returns milliseconds as nanoseconds, the unit of figures; null stays null. */
    public static @Nullable Double nanos(@Nullable Double millis) {
        return millis == null ? null : Double.valueOf(millis * NANOS_PER_MILLI);
    }
}
