package io.millrace.dataset.fields;

import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Whole numbers and floating-point numbers that are stored as decimal text. */
public final class DecimalText {
    private static final Pattern DIGITS = Pattern.compile("[+-]?[0-9]+");
    private static final Pattern NUMBER =
            Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?");

    /** The bound of the doubles that stand for one whole number only. */
    private static final double EXACT = 0x1p53;

    private DecimalText() {}

    /** Returns whether the text is a number, such as {@code 7}, {@code -0.5} or {@code 2e3}. */
    public static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    /** Returns whether the text is a number without a point and an exponent, of any length. */
    public static boolean isDigits(String text) {
        return DIGITS.matcher(text).matches();
    }

    /**
     * Returns the whole number that the text stands for: digits, or a floating-point number without a fraction, such as
     * {@code 2.0}. The result is empty for all other text, and for numbers that an int64 cannot hold exactly.
     */
    public static OptionalLong whole(String text) {
        if (isDigits(text)) {
            try {
                return OptionalLong.of(Long.parseLong(text));
            } catch (NumberFormatException tooLarge) {
                return OptionalLong.empty();
            }
        }
        if (!isNumber(text)) {
            return OptionalLong.empty();
        }
        double number = Double.parseDouble(text);
        return number == Math.rint(number) && Math.abs(number) < EXACT
                ? OptionalLong.of((long) number)
                : OptionalLong.empty();
    }
}
