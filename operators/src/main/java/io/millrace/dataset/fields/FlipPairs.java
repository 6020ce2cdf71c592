package io.millrace.dataset.fields;

import io.millrace.option.OptionType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The pairs of points that change places when a picture is flipped, such as the left and the right eye. Each pair is two numbers of
 * points, counted from 0. Stateless.
 */
public final class FlipPairs {
    private static final int MOST_POINTS = 1 << 16;

    private FlipPairs() {}

    /**
     * Returns the numbers of the pairs one after the other.
     *
     * @param raw the value of an option, for example {@code [[1, 2], [3, 4]]}
     * @param where the option, for messages
     * @throws IllegalArgumentException when it is no list of pairs, or one of the points is in two pairs
     */
    public static List<Integer> parse(Object raw, String where) {
        String expected = where + " pairs of different numbers from 0 to " + (MOST_POINTS - 1)
                + ", each number once, such as [[1, 2], [3, 4]]";
        if (!(raw instanceof List<?> pairs) || pairs.isEmpty()) {
            throw OptionType.expected(expected, raw);
        }
        List<Integer> numbers = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        for (Object pair : pairs) {
            if (!(pair instanceof List<?> two) || two.size() != 2) {
                throw OptionType.expected(expected, pair);
            }
            for (Object number : two) {
                long value = number instanceof Long whole ? whole : -1;
                if (value < 0 || value >= MOST_POINTS || !seen.add((int) value)) {
                    throw OptionType.expected(expected, raw);
                }
                numbers.add((int) value);
            }
        }
        return List.copyOf(numbers);
    }

    /**
     * Returns the pairs of points whose names differ in {@code left} and {@code right}, or in {@code L_} and {@code R_} at the beginning,
     * in upper or lower case.
     *
     * @param names the names of the points, in their order
     */
    public static List<Integer> ofNames(List<String> names) {
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            places.putIfAbsent(names.get(i).toLowerCase(Locale.ROOT), i);
        }
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i).toLowerCase(Locale.ROOT);
            String other = name.startsWith("l_") ? "r_" + name.substring(2) : name.replace("left", "right");
            Integer right = places.get(other);
            if (right != null && right != i && Objects.equals(places.get(name), i)) {
                numbers.add(i);
                numbers.add(right);
            }
        }
        return List.copyOf(numbers);
    }
}
