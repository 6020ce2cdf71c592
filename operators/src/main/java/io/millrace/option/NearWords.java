package io.millrace.option;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/**
 * The known words that a misspelt word may stand for.
 *
 * <p>Tested by {@code SpellingTest} and {@code MissingPathTest}.
 */
public final class NearWords {
    private NearWords() {}

    /**
     * Returns the known words nearest to {@code word}: at most 2 edits away, or a third of its letters if that is more. Words that
     * differ in case only come first. The list is empty when no word is near.
     */
    public static List<String> nearest(String word, Collection<String> known) {
        int most = Math.max(2, word.length() / 3);
        TreeMap<Integer, List<String>> byDistance = new TreeMap<>();
        for (String candidate : known) {
            int distance = candidate.equalsIgnoreCase(word) ? 0 : distance(word, candidate);
            if (distance <= most) {
                byDistance.computeIfAbsent(distance, d -> new ArrayList<>()).add(candidate);
            }
        }
        return byDistance.isEmpty()
                ? List.of()
                : List.copyOf(byDistance.firstEntry().getValue());
    }

    /** Counts insertions, deletions, substitutions and swaps of neighbours (optimal string alignment), ignoring case. */
    public static int distance(String left, String right) {
        String a = left.toLowerCase(Locale.ROOT);
        String b = right.toLowerCase(Locale.ROOT);
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int substituted = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(substituted, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
