package io.millrace.config;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of an unquoted word in YAML, by the core schema of YAML 1.2: {@code no} and {@code on} are text, {@code
 * 1e-3} is a number, and a number with a leading zero is text. Version 1.1, the parser's default, has the opposite rule
 * in each of the three cases.
 */
final class Scalars {
    private static final Pattern WHOLE = Pattern.compile("[-+]?(0|[1-9][0-9]*)");
    private static final Pattern REAL =
            Pattern.compile("[-+]?(\\.[0-9]+|(0|[1-9][0-9]*)(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");

    private Scalars() {}

    static @Nullable Object resolve(String word) {
        switch (word) {
            case "", "~", "null", "Null", "NULL" -> {
                return null;
            }
            case "true", "True", "TRUE" -> {
                return true;
            }
            case "false", "False", "FALSE" -> {
                return false;
            }
            case ".inf", "+.inf" -> {
                return Double.POSITIVE_INFINITY;
            }
            case "-.inf" -> {
                return Double.NEGATIVE_INFINITY;
            }
            case ".nan" -> {
                return Double.NaN;
            }
            default -> {
                return number(word);
            }
        }
    }

    private static Object number(String word) {
        if (WHOLE.matcher(word).matches()) {
            try {
                return Long.parseLong(word);
            } catch (NumberFormatException e) {
                // The number has more digits than a long can hold. It is out of the range of every option.
                return Double.parseDouble(word);
            }
        }
        return REAL.matcher(word).matches() ? (Object) Double.parseDouble(word) : word;
    }
}
