package io.millrace.config;

import io.millrace.option.NearWords;
import io.millrace.option.OtherName;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The search for the known words that a misspelt word may stand for. */
final class Spelling {
    private Spelling() {}

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
        List<String> near = NearWords.nearest(word, known);
        if (near.isEmpty()) {
            return known.isEmpty() ? "there are none" : "expected one of " + String.join(", ", known);
        }
        return question(near);
    }
}
