package io.millrace.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A {@code tokenizer.json} with a byte-level BPE whose every setting Millrace's own engine reproduces. The reader expects a file that
 * {@link LibraryVocabulary} has read, and says in words why another engine must take a file.
 *
 * <p>Tested by {@code ByteLevelTokenizerTest}.
 */
final class ByteLevelVocabulary implements LoadedVocabulary {
    /** The byte that a character stands for; -1 where it stands for none. */
    private static final short[] LETTERS = new short[0x144];

    static {
        Arrays.fill(LETTERS, (short) -1);
        for (int value = 0; value < 256; value++) {
            LETTERS[letter(value)] = (short) value;
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    final LibraryVocabulary vocabulary;
    /** The id by a token's characters, of which each stands for a byte. */
    final Map<String, Integer> ids = new HashMap<>();

    final int[] bytes = new int[256];
    /** The number of bytes of a token by its id; 0 where there is none. */
    final int[] lengths;

    final Pretokens pretokens;
    final AddedTokens added;
    /** The pretokens that are one token. */
    final ByteTokens whole;

    private final BytePairMerges merges;
    private final int[] byteRanks;

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
        model.path("vocab")
                .properties()
                .forEach(token -> ids.put(token.getKey(), token.getValue().intValue()));
        for (int i = 0; i < 256; i++) {
            bytes[i] = id(String.valueOf(letter(i)));
        }
        int count = model.path("merges").size();
        only(
                vocabulary.size() <= BytePairMerges.MOST && count <= BytePairMerges.MOST,
                "it has ids or merges of more than " + BytePairMerges.MOST);
        merges = new BytePairMerges(count);
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
        byteRanks = PairMerger.byteRanks(merges, bytes);
        whole = whole(model.path("ignore_merges").asBoolean());
        added = new AddedTokens(vocabulary.added());
        lengths = new int[vocabulary.size()];
        ids.forEach((token, id) -> lengths[id] = token.length());
        vocabulary.added().forEach((token, id) -> lengths[id] = token.getBytes(StandardCharsets.UTF_8).length);
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

    /** Returns the bytes of a token whose characters each stand for one; {@code null} when a character stands for none. */
    private static byte @Nullable [] bytesOf(String token) {
        byte[] bytes = new byte[token.length()];
        for (int i = 0; i < bytes.length; i++) {
            char letter = token.charAt(i);
            int value = letter < LETTERS.length ? LETTERS[letter] : -1;
            if (value < 0) {
                return null;
            }
            bytes[i] = (byte) value;
        }
        return bytes;
    }

    /** Returns the tokens that a pretoken of their bytes becomes: all of them if whole tokens come first, and otherwise those that the merges make. */
    private ByteTokens whole(boolean first) {
        PairMerger merger = merger();
        List<byte[]> tokens = new ArrayList<>();
        List<Integer> found = new ArrayList<>();
        ids.forEach((token, id) -> {
            byte[] text = bytesOf(token);
            if (text != null
                    && text.length > 0
                    && (first || (merger.merge(text, 0, text.length) == 1 && merger.ids()[0] == id))) {
                tokens.add(text);
                found.add(id);
            }
        });
        return new ByteTokens(tokens, found.stream().mapToInt(Integer::intValue).toArray());
    }

    @Override
    public Optional<Tokenizer> tokenizer() {
        return Optional.of(new ByteLevelTokenizer(this));
    }

    /** Returns a merger for one thread. */
    PairMerger merger() {
        return new PairMerger(merges, bytes, byteRanks);
    }

    /** The reason why Millrace's engine does not take a file. */
    static final class OtherEngineException extends Exception {
        private static final long serialVersionUID = 1;

        OtherEngineException(String reason) {
            super(reason);
        }
    }
}
