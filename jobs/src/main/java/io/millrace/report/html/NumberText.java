package io.millrace.report.html;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The formatting of numbers for readers. A dash stands for an unknown value. */
final class NumberText {
    static final String UNKNOWN = "-";

    private NumberText() {}

    /** Returns a number as text. Smaller numbers have more decimals. */
    static String number(@Nullable Double value) {
        if (value == null || !Double.isFinite(value)) {
            return UNKNOWN;
        }
        double size = Math.abs(value);
        String format = size >= 100 ? "%,.0f" : size >= 10 ? "%,.1f" : size >= 1 || size == 0 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, format, value);
    }

    static String count(@Nullable Number value) {
        return value == null ? UNKNOWN : String.format(Locale.ROOT, "%,d", value.longValue());
    }

    static String percent(@Nullable Double share) {
        return share == null ? UNKNOWN : String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    static String with(String unit, String number) {
        return number.equals(UNKNOWN) ? UNKNOWN : number + " " + unit;
    }
}
