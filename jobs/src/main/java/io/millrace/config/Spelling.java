package io.millrace.config;

import io.millrace.option.OtherName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The search for the known words that a misspelt word may stand for. */
final class Spelling {
    private Spelling() {}

    /**
     * Returns the known words nearest to {@code word}: at most 2 edits away, or a third of its letters if that is more. Words that
     * differ in case only come first. The list is empty when no word is near.
     */
    static List<String> nearest(String word, Collection<String> known) {
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

    /**
     * Returns "did you mean 'a'?" for a word that other programs use for a component of a catalog, and otherwise as {@link
     * #hint(String, Collection)} does.
     */
    static String hintOfCatalog(String word, List<CatalogEntry> catalog) {
        List<OtherName> others =
                catalog.stream().flatMap(entry -> entry.otherNames().stream()).toList();
        return meant(word, others)
                .orElseGet(() ->
                        hint(word, catalog.stream().map(CatalogEntry::name).toList()));
    }

    /** Returns the hint for a word that other programs use; empty when the word is none of theirs. */
    static Optional<String> meant(String word, Collection<OtherName> others) {
        List<String> meant = others.stream()
                .filter(other -> other.is(word))
                .map(OtherName::written)
                .distinct()
                .toList();
        return meant.isEmpty() ? Optional.empty() : Optional.of(question(meant));
    }

    /** Returns "did you mean 'a' or 'b'?". */
    static String question(List<String> words) {
        return words.stream().map(n -> "'" + n + "'").collect(Collectors.joining(" or ", "did you mean ", "?"));
    }

    /** Returns "did you mean 'a'?", or "expected one of a, b, c" when no word is near. */
    static String hint(String word, Collection<String> known) {
        List<String> near = nearest(word, known);
        if (near.isEmpty()) {
            return known.isEmpty() ? "there are none" : "expected one of " + String.join(", ", known);
        }
        return question(near);
    }

    /** Counts insertions, deletions, substitutions and swaps of neighbours (optimal string alignment), ignoring case. */
    static int distance(String left, String right) {
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
