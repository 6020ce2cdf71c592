package io.millrace.dataset.fields;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Whole numbers and floating-point numbers that are stored as decimal text. */
public final class DecimalText {
    private static final Pattern DIGITS = Pattern.compile("[+-]?[0-9]+");
    private static final Pattern NUMBER =
            Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?");

    /** The values without digits that Python and NumPy write and read as floating-point numbers. */
    private static final Pattern NOT_FINITE = Pattern.compile("[+-]?(?:nan|inf(?:inity)?)", Pattern.CASE_INSENSITIVE);

    /** What a column of numbers can do with a text. */
    public enum Form {
        /** Digits that an int64 can hold. */
        WHOLE,
        /** Another number, which becomes a float64. */
        REAL,
        /** No number, or a whole number of whose digits a float64 cannot hold all. */
        OTHER
    }

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

    /** Returns the form of a text without white space around it. */
    public static Form form(String text) {
        if (isDigits(text)) {
            return parsed(text).isPresent() ? Form.WHOLE : Form.OTHER;
        }
        return isNumber(text) || NOT_FINITE.matcher(text).matches() ? Form.REAL : Form.OTHER;
    }

    /** Returns the number of a text whose form is not {@link Form#OTHER}. */
    public static double real(String text) {
        if (!Character.isLetter(text.charAt(text.length() - 1))) {
            return Double.parseDouble(text);
        }
        String word = text.toLowerCase(Locale.ROOT);
        return word.endsWith("nan")
                ? Double.NaN
                : word.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }

    /**
     * Returns the whole number that the text stands for: digits, or a floating-point number without a fraction, such as
     * {@code 2.0}. The result is empty for all other text, and for numbers that an int64 cannot hold exactly.
     */
    public static OptionalLong whole(String text) {
        if (isDigits(text)) {
            return parsed(text);
        }
        if (!isNumber(text)) {
            return OptionalLong.empty();
        }
        double number = Double.parseDouble(text);
        return number == Math.rint(number) && Math.abs(number) < EXACT
                ? OptionalLong.of((long) number)
                : OptionalLong.empty();
    }

    /** Returns the number of digits; empty if an int64 cannot hold it. */
    private static OptionalLong parsed(String digits) {
        try {
            return OptionalLong.of(Long.parseLong(digits));
        } catch (NumberFormatException tooLarge) {
            return OptionalLong.empty();
        }
    }
}
