package io.millrace.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code tokenizer.json} with a byte-level BPE whose every setting Millrace's own engine reproduces. The reader expects a file that
 * {@link LibraryVocabulary} has read, and says in words why another engine must take a file.
 *
 * <p>Tested by {@code ByteLevelTokenizerTest}.
 */
final class ByteLevelVocabulary {
    private static final ObjectMapper JSON = new ObjectMapper();

    final LibraryVocabulary vocabulary;
    /** The id by a token's characters, of which each stands for a byte. */
    final Map<String, Integer> ids = new HashMap<>();

    final int[] bytes = new int[256];
    final Pretokens pretokens;
    final BytePairMerges merges;
    final boolean wholeFirst;

    private ByteLevelVocabulary(LibraryVocabulary vocabulary, JsonNode file) throws OtherEngineException {
        this.vocabulary = vocabulary;
        JsonNode model = file.path("model");
        only(
                model.path("type").asText().equals("BPE"),
                "the model is " + model.path("type").asText("of no type"));
        for (String key : new String[] {
            "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback"
        }) {
            JsonNode value = model.path(key);
            boolean unset =
                    value.isMissingNode() || value.isNull() || value.asText().isEmpty();
            only(unset || (value.isBoolean() && !value.booleanValue()), "its model has " + key);
        }
        for (String key : new String[] {"normalizer", "truncation", "padding"}) {
            only(file.path(key).isMissingNode() || file.path(key).isNull(), "the file has " + key);
        }
        pretokens = PretokenPatterns.of(file.path("pre_tokenizer"));
        wholeFirst = model.path("ignore_merges").asBoolean();
        model.path("vocab")
                .properties()
                .forEach(token -> ids.put(token.getKey(), token.getValue().intValue()));
        for (int i = 0; i < 256; i++) {
            bytes[i] = id(String.valueOf(letter(i)));
        }
        merges = new BytePairMerges(model.path("merges").size());
        int rank = 0;
        for (JsonNode merge : model.path("merges")) {
            String[] parts = merge.isArray()
                    ? new String[] {merge.path(0).asText(), merge.path(1).asText()}
                    : merge.asText().split(" ", 2);
            only(parts.length == 2, "its merge " + rank + " has no two tokens");
            merges.put(id(parts[0]), id(parts[1]), rank++, id(parts[0] + parts[1]));
        }
        only(ids.values().stream().distinct().count() == ids.size(), "two of its tokens have one id");
        int next = ids.size(); // the library numbers new tokens so, whatever the file says
        Boolean normalized = null;
        for (JsonNode token : file.path("added_tokens")) {
            for (String key : new String[] {"lstrip", "rstrip", "single_word"}) {
                only(
                        !token.path(key).asBoolean(),
                        "its added token " + token.path("content").asText() + " has " + key);
            }
            boolean own = token.path("normalized").asBoolean();
            only(normalized == null || normalized == own, "only some of its added tokens are normalized");
            normalized = own;
            Integer known = ids.get(token.path("content").asText());
            only(
                    token.path("id").asInt(-1) == (known == null ? next++ : known),
                    "its added token " + token.path("content").asText() + " has another id than the library gives it");
            only(!token.path("content").asText().isEmpty(), "an added token is empty");
        }
    }

    /**
     * Reads a file.
     *
     * @throws OtherEngineException when Millrace's engine does not reproduce it; the message is the reason, as a clause
     */
    static ByteLevelVocabulary read(LibraryVocabulary vocabulary, byte[] json)
            throws OtherEngineException, IOException {
        return new ByteLevelVocabulary(vocabulary, JSON.readTree(json));
    }

    /** Returns the character that stands for a byte: itself where it is visible, and the next of U+0100 on elsewhere. */
    static char letter(int value) {
        if ((value >= '!' && value <= '~') || (value >= 0xA1 && value != 0xAD)) {
            return (char) value;
        }
        if (value <= ' ') {
            return (char) (0x100 + value);
        }
        return (char) (value == 0xAD ? 0x143 : 0x121 + value - 0x7F);
    }

    private int id(String token) throws OtherEngineException {
        Integer id = ids.get(token);
        only(id != null, "its vocabulary has no token " + token);
        return id == null ? -1 : id;
    }

    private static void only(boolean reproduced, String reason) throws OtherEngineException {
        if (!reproduced) {
            throw new OtherEngineException(reason);
        }
    }

    /** Returns whether a pretoken is a token, and its id; {@code null} when it is none. */
    @Nullable
    Integer whole(byte[] text, int from, int to) {
        StringBuilder letters = new StringBuilder(to - from);
        for (int i = from; i < to; i++) {
            letters.append(letter(text[i] & 0xFF));
        }
        return ids.get(letters.toString());
    }

    /** The reason why Millrace's engine does not take a file. */
    static final class OtherEngineException extends Exception {
        private static final long serialVersionUID = 1;

        OtherEngineException(String reason) {
            super(reason);
        }
    }
}
