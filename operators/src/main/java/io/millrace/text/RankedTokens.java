package io.millrace.text;

import io.millrace.text.ByteLevelVocabulary.AddedIds;
import io.millrace.text.ByteLevelVocabulary.Cuts;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of an encoding of tiktoken by their ids, which have the order of their ranks. Of all neighbours in a pretoken whose bytes together are a token, tiktoken
 * merges those with the lowest rank first, so that each division of a token into two tokens is a merge of the token's rank.
 *
 * <p>Tested by {@code TiktokenFileTest}.
 */
final class RankedTokens {
    private final String title;
    private final Pretokens pretokens;
    private final Map<String, Integer> special;
    private final byte[] @Nullable [] tokens;

    /**
     * Creates an encoding.
     *
     * @param title the name of the encoding
     * @param special the ids of the special tokens
     * @param tokens the token of each id, by ascending rank, which nobody changes; {@code null} where there is none
     */
    RankedTokens(String title, Pretokens pretokens, Map<String, Integer> special, byte[] @Nullable [] tokens) {
        this.title = title;
        this.pretokens = pretokens;
        this.special = special;
        this.tokens = tokens;
    }

    /** Creates one of the encodings whose ids are ranks. */
    RankedTokens(TiktokenEncoding encoding, byte[] @Nullable [] tokens) {
        this(encoding.title(), encoding.pretokens(), encoding.special(), tokens);
    }

    /** Returns the name of the encoding. */
    String title() {
        return title;
    }

    /** Returns the token of each id, which the caller does not change; {@code null} where there is none. */
    byte[] @Nullable [] tokens() {
        return tokens;
    }

    /** Returns the vocabulary. */
    ByteLevelVocabulary vocabulary() {
        TokenTable ids = new TokenTable();
        for (int id = 0; id < tokens.length; id++) {
            byte[] token = tokens[id];
            if (token != null) {
                ids.put(ByteLevelVocabulary.letters(token), 0, token.length, id);
            }
        }
        return new ByteLevelVocabulary(
                new LibraryVocabulary(ids, special, LibraryTemplate.NONE),
                merges(ids),
                true,
                new Cuts(pretokens, null),
                AddedIds.NONE);
    }

    private BytePairMerges merges(TokenTable ids) {
        Found found = new Found();
        ids.forEach((text, from, to, id) -> {
            for (int cut = from + 1; cut < to; cut++) {
                int left = ids.id(text, from, cut);
                int right = left < 0 ? TokenTable.NONE : ids.id(text, cut, to);
                if (right >= 0) {
                    found.add(left, right, id);
                }
            }
        });
        BytePairMerges merges = new BytePairMerges(Math.max(found.count / 3, tokens.length));
        for (int i = 0; i < found.count; i += 3) {
            merges.put(found.ids[i], found.ids[i + 1], found.ids[i + 2], found.ids[i + 2]);
        }
        return merges;
    }

    /** The merges that were found: the left token, the right one, and both together. */
    private static final class Found {
        int[] ids = new int[1 << 20];
        int count;

        void add(int left, int right, int merged) {
            ids = count + 3 <= ids.length ? ids : Arrays.copyOf(ids, 2 * ids.length);
            ids[count++] = left;
            ids[count++] = right;
            ids[count++] = merged;
        }
    }
}
