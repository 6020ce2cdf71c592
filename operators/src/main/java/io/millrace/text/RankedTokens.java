package io.millrace.text;

import io.millrace.text.ByteLevelVocabulary.AddedIds;
import io.millrace.text.ByteLevelVocabulary.Cuts;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of an encoding of tiktoken by their ranks. Of all neighbours in a pretoken whose bytes together are a token, tiktoken
 * merges those with the lowest rank first, so that each division of a token into two tokens is a merge of the token's rank.
 *
 * <p>Tested by {@code TiktokenFileTest}.
 */
final class RankedTokens {
    private final TiktokenEncoding encoding;
    private final byte[] @Nullable [] tokens;

    /**
     * Creates an encoding.
     *
     * @param tokens the token of each rank, which nobody changes; {@code null} where there is none
     */
    RankedTokens(TiktokenEncoding encoding, byte[] @Nullable [] tokens) {
        this.encoding = encoding;
        this.tokens = tokens;
    }

    TiktokenEncoding encoding() {
        return encoding;
    }

    /** Returns the token of each rank, which the caller does not change; {@code null} where there is none. */
    byte[] @Nullable [] tokens() {
        return tokens;
    }

    /** Returns the vocabulary. */
    ByteLevelVocabulary vocabulary() {
        Map<String, Integer> ids = new HashMap<>();
        for (int id = 0; id < tokens.length; id++) {
            byte[] token = tokens[id];
            if (token != null) {
                ids.put(ByteLevelVocabulary.letters(token, 0, token.length), id);
            }
        }
        Map<String, Integer> all = new HashMap<>(ids);
        all.putAll(encoding.special());
        return new ByteLevelVocabulary(
                new LibraryVocabulary("BPE", all, encoding.special(), LibraryTemplate.NONE),
                ids,
                merges(ids),
                true,
                new Cuts(encoding.pretokens(), null),
                AddedIds.NONE);
    }

    private BytePairMerges merges(Map<String, Integer> ids) {
        int[] found = new int[1 << 20];
        int count = 0;
        for (Map.Entry<String, Integer> token : ids.entrySet()) {
            String letters = token.getKey();
            for (int cut = 1; cut < letters.length(); cut++) {
                Integer left = ids.get(letters.substring(0, cut));
                Integer right = left == null ? null : ids.get(letters.substring(cut));
                if (left != null && right != null) {
                    found = count + 3 <= found.length ? found : Arrays.copyOf(found, 2 * found.length);
                    found[count++] = left;
                    found[count++] = right;
                    found[count++] = token.getValue();
                }
            }
        }
        BytePairMerges merges = new BytePairMerges(Math.max(count / 3, tokens.length));
        for (int i = 0; i < count; i += 3) {
            merges.put(found[i], found[i + 1], found[i + 2], found[i + 2]);
        }
        return merges;
    }
}
