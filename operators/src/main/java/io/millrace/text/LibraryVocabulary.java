package io.millrace.text;

import java.util.Map;
import java.util.OptionalInt;

/**
 * The tokens of a vocabulary, of any model. Threads share it.
 *
 * @param tokens the tokens of the model
 * @param added the id of each added token, in the file's order, which holds also where the model has the token
 * @param template the ids before and after a text
 */
record LibraryVocabulary(TokenTable tokens, Map<String, Integer> added, LibraryTemplate template) {
    /** Returns the id of a token; empty when there is none. */
    OptionalInt id(String token) {
        Integer id = added.get(token);
        int found = id == null ? tokens.id(token) : id;
        return found < 0 ? OptionalInt.empty() : OptionalInt.of(found);
    }

    /** Returns the largest id and one. */
    int size() {
        int most = added.values().stream().mapToInt(Integer::intValue).max().orElse(TokenTable.NONE);
        return 1 + Math.max(most, tokens.most());
    }
}
