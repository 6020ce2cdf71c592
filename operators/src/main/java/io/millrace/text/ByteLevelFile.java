package io.millrace.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.text.ByteLevelVocabulary.AddedIds;
import io.millrace.text.ByteLevelVocabulary.Cuts;
import io.millrace.text.ByteLevelVocabulary.OtherEngineException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@code tokenizer.json} with a byte-level BPE whose every setting Millrace's own engine reproduces. The reader expects a file that
 * {@link LibraryVocabulary} has read, and says in words why another engine must take a file.
 *
 * <p>Tested by {@code ByteLevelTokenizerTest}.
 */
final class ByteLevelFile {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The id by a token's characters, of which each stands for a byte. */
    private final Map<String, Integer> ids = new HashMap<>();

    private ByteLevelFile() {}

    /**
     * Reads a file.
     *
     * @param path the file, which is read again when the library is needed
     * @param json its content
     * @throws OtherEngineException when Millrace's engine does not reproduce it; the message is the reason, as a clause
     */
    static ByteLevelVocabulary read(Path path, LibraryVocabulary vocabulary, byte[] json)
            throws OtherEngineException, IOException {
        return new ByteLevelFile().vocabulary(path, vocabulary, JSON.readTree(json));
    }

    private ByteLevelVocabulary vocabulary(Path path, LibraryVocabulary vocabulary, JsonNode file)
            throws OtherEngineException {
        JsonNode model = file.path("model");
        only(
                model.path("type").asText().equals("BPE"),
                "the model is " + model.path("type").asText("of no type"));
        for (String key : new String[] {"dropout", "continuing_subword_prefix", "end_of_word_suffix"}) {
            JsonNode value = model.path(key);
            only(value.isMissingNode() || value.isNull() || value.asText().isEmpty(), "its model has " + key);
        }
        boolean composed = composed(file.path("normalizer"));
        Pretokens pretokens = PretokenPatterns.of(file.path("pre_tokenizer"));
        model.path("vocab")
                .properties()
                .forEach(token -> ids.put(token.getKey(), token.getValue().intValue()));
        // No text has an unknown character then, so that unk_token, fuse_unk and byte_fallback have no effect.
        for (int i = 0; i < 256; i++) {
            id(String.valueOf(ByteLevelVocabulary.letter(i)));
        }
        BytePairMerges merges = merges(model.path("merges"));
        only(ids.values().stream().distinct().count() == ids.size(), "two of its tokens have one id");
        return new ByteLevelVocabulary(
                vocabulary,
                ids,
                merges,
                model.path("ignore_merges").asBoolean(),
                new Cuts(pretokens, composed ? path : null),
                added(file.path("added_tokens"), composed));
    }

    private static boolean composed(JsonNode normalizer) throws OtherEngineException {
        if (normalizer.isMissingNode() || normalizer.isNull()) {
            return false;
        }
        boolean composed = false;
        Iterable<JsonNode> parts = normalizer.path("type").asText().equals("Sequence")
                ? normalizer.path("normalizers")
                : List.of(normalizer);
        for (JsonNode part : parts) {
            String type = part.path("type").asText();
            only(type.equals("NFC"), "its normalizer is " + type);
            composed = true;
        }
        return composed;
    }

    private BytePairMerges merges(JsonNode pairs) throws OtherEngineException {
        only(
                pairs.size() <= BytePairMerges.MOST && ids.values().stream().allMatch(id -> id <= BytePairMerges.MOST),
                "it has ids or merges of more than " + BytePairMerges.MOST);
        BytePairMerges merges = new BytePairMerges(pairs.size());
        int rank = 0;
        for (JsonNode merge : pairs) {
            String[] parts = merge.isArray()
                    ? new String[] {merge.path(0).asText(), merge.path(1).asText()}
                    : merge.asText().split(" ", 2);
            only(parts.length == 2, "its merge " + rank + " has no two tokens");
            merges.put(id(parts[0]), id(parts[1]), rank++, id(parts[0] + parts[1]));
        }
        return merges;
    }

    private AddedIds added(JsonNode tokens, boolean composed) throws OtherEngineException {
        Map<String, Integer> raw = new LinkedHashMap<>();
        Map<String, Integer> normalized = new LinkedHashMap<>();
        BitSet left = new BitSet();
        BitSet right = new BitSet();
        boolean spaces = false;
        int next = ids.size(); // the library numbers new tokens so, whatever the file says
        for (JsonNode token : tokens) {
            String text = token.path("content").asText();
            only(!token.path("single_word").asBoolean(), "its added token " + text + " has single_word");
            Integer known = ids.get(text);
            int id = known == null ? next++ : known;
            only(
                    token.path("id").asInt(-1) == id,
                    "its added token " + text + " has another id than the library gives it");
            only(!text.isEmpty(), "an added token is empty");
            left.set(id, token.path("lstrip").asBoolean());
            right.set(id, token.path("rstrip").asBoolean());
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            spaces |= CodePoints.kind(utf8, 0, utf8.length) == CodePoints.SPACE;
            if (token.path("normalized").asBoolean()) {
                String form = composed ? ComposedForm.of(text) : text;
                only(normalized.put(form, id) == null, "two of its added tokens have the normal form " + form);
            } else {
                raw.put(text, id);
            }
        }
        // The library looks for the next token in the white space that it has removed.
        only(right.isEmpty() || !spaces, "an added token begins with white space, and another has rstrip");
        return new AddedIds(raw, normalized, left, right);
    }

    private int id(String token) throws OtherEngineException {
        Integer id = ids.get(token);
        if (id == null) {
            throw new OtherEngineException("its vocabulary has no token " + token);
        }
        return id;
    }

    private static void only(boolean reproduced, String reason) throws OtherEngineException {
        if (!reproduced) {
            throw new OtherEngineException(reason);
        }
    }
}
