package io.millrace.dataset.files;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The expansion of brace lists and ranges as in shells: {@code {a,b}} and {@code {000..127}}. Braces may be nested, and
 * a path may contain several of them. Braces that contain neither a comma nor a range stand for themselves.
 */
final class Braces {
    /** The largest number of paths. More paths are probably a typing mistake. */
    static final int MOST_PATHS = 1 << 20;

    /** The largest number of brace pairs. It bounds the depth of the recursion. */
    private static final int MOST_BRACES = 64;

    private static final Pattern RANGE = Pattern.compile("(-?[0-9]{1,9})\\.\\.(-?[0-9]{1,9})");

    private Braces() {}

    /**
     * Returns the paths that {@code path} stands for, in the order in which they are written. A path without braces
     * stands for itself.
     *
     * @throws IllegalArgumentException when there would be more than {@link #MOST_PATHS} paths
     */
    static List<String> expand(String path) {
        if (path.chars().filter(letter -> letter == '{').count() > MOST_BRACES) {
            throw new IllegalArgumentException(
                    "expected up to " + MOST_BRACES + " pairs of braces in a path, found more");
        }
        return expandAll(path);
    }

    private static List<String> expandAll(String path) {
        for (int open = path.indexOf('{'); open >= 0; open = path.indexOf('{', open + 1)) {
            int close = closing(path, open);
            List<String> alternatives = close < 0 ? List.of() : alternatives(path.substring(open + 1, close));
            if (!alternatives.isEmpty()) {
                return combine(path.substring(0, open), alternatives, expandAll(path.substring(close + 1)));
            }
        }
        return List.of(path);
    }

    private static List<String> combine(String before, List<String> alternatives, List<String> rests) {
        List<String> paths = new ArrayList<>();
        for (String alternative : alternatives) {
            for (String middle : expandAll(alternative)) {
                for (String rest : rests) {
                    requireWithinLimit(paths.size() + 1L);
                    paths.add(before + middle + rest);
                }
            }
        }
        return paths;
    }

    private static int closing(String path, int open) {
        int depth = 0;
        for (int at = open; at < path.length(); at++) {
            char letter = path.charAt(at);
            depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
            if (depth == 0) {
                return at;
            }
        }
        return -1;
    }

    private static List<String> alternatives(String body) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int at = 0; at < body.length(); at++) {
            char letter = body.charAt(at);
            depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
            if (letter == ',' && depth == 0) {
                parts.add(body.substring(start, at));
                start = at + 1;
            }
        }
        parts.add(body.substring(start));
        return parts.size() > 1 ? parts : range(body);
    }

    private static List<String> range(String body) {
        Matcher range = RANGE.matcher(body);
        if (!range.matches()) {
            return List.of();
        }
        String first = range.group(1);
        String last = range.group(2);
        int from = Integer.parseInt(first);
        int to = Integer.parseInt(last);
        requireWithinLimit(Math.abs((long) to - from) + 1);
        // As in shells, a leading zero means that all numbers have the same width.
        int width = padded(first) || padded(last) ? Math.max(first.length(), last.length()) : 1;
        List<String> numbers = new ArrayList<>();
        for (int number = from; from <= to ? number <= to : number >= to; number += from <= to ? 1 : -1) {
            numbers.add(String.format("%0" + width + "d", number));
        }
        return numbers;
    }

    private static boolean padded(String number) {
        String digits = number.startsWith("-") ? number.substring(1) : number;
        return digits.length() > 1 && digits.startsWith("0");
    }

    private static void requireWithinLimit(long paths) {
        if (paths > MOST_PATHS) {
            throw new IllegalArgumentException("expected braces for up to " + MOST_PATHS + " paths, found more");
        }
    }
}
