package io.millrace.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.text.ByteLevelVocabulary.AddedIds;
import io.millrace.text.ByteLevelVocabulary.Cuts;
import io.millrace.text.ByteLevelVocabulary.OtherEngineException;
import io.millrace.text.TokenizerJson.AddedToken;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@code tokenizer.json} with a byte-level BPE whose every setting Millrace's own engine reproduces, or the reason in words why another
 * engine must take the file.
 *
 * <p>Tested by {@code ByteLevelTokenizerTest}.
 */
final class ByteLevelFile {
    private final TokenizerJson file;
    /** The tokens, whose characters each stand for a byte. */
    private final TokenTable tokens;

    private ByteLevelFile(TokenizerJson file) {
        this.file = file;
        this.tokens = file.vocabulary().tokens();
    }

    /**
     * Returns the vocabulary of a file.
     *
     * @param path the file, which is read again when the library is needed
     * @param file its content
     * @throws OtherEngineException when Millrace's engine does not reproduce it; the message is the reason, as a clause
     */
    static ByteLevelVocabulary read(Path path, TokenizerJson file) throws OtherEngineException {
        return new ByteLevelFile(file).vocabulary(path);
    }

    private ByteLevelVocabulary vocabulary(Path path) throws OtherEngineException {
        only(
                file.pairEncoding(),
                file.type() == null ? "the file names no type of model" : "the model is " + file.type());
        JsonNode dropout = file.setting("dropout");
        boolean drops = dropout.isNumber() ? dropout.doubleValue() != 0 : !dropout.isMissingNode() && !dropout.isNull();
        only(!drops, "its model has dropout");
        for (String key : new String[] {"continuing_subword_prefix", "end_of_word_suffix"}) {
            JsonNode value = file.setting(key);
            only(value.isMissingNode() || value.isNull() || value.asText().isEmpty(), "its model has " + key);
        }
        boolean composed = composed(file.part("normalizer"));
        Pretokens pretokens = PretokenPatterns.of(file.part("pre_tokenizer"));
        // No text has an unknown character then, so that unk_token, fuse_unk and byte_fallback have no effect.
        for (int i = 0; i < 256; i++) {
            String letter = String.valueOf(ByteLevelVocabulary.letter(i));
            only(tokens.id(letter) >= 0, "its vocabulary has no token " + letter);
        }
        only(
                tokens.most() <= BytePairMerges.MOST && file.merges().size() / 2 <= BytePairMerges.MOST,
                "it has ids or merges of more than " + BytePairMerges.MOST);
        BitSet ids = new BitSet();
        tokens.forEach((text, from, to, id) -> ids.set(id));
        only(ids.cardinality() == tokens.size(), "two of its tokens have one id");
        return new ByteLevelVocabulary(
                file.vocabulary(),
                merges(file.merges()),
                file.setting("ignore_merges").asBoolean(),
                new Cuts(pretokens, composed ? path : null),
                added(file.added(), composed));
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

    private BytePairMerges merges(TextRuns pairs) throws OtherEngineException {
        int count = pairs.size() / 2;
        BytePairMerges merges = new BytePairMerges(count);
        for (int rank = 0; rank < count; rank++) {
            int left = 2 * rank;
            int right = left + 1;
            if (pairs.start(right) == pairs.end(right)) {
                throw new OtherEngineException("its merge " + rank + " has no two tokens");
            }
            merges.put(id(pairs, left, left), id(pairs, right, right), rank, id(pairs, left, right));
        }
        return merges;
    }

    /** Returns the id of the token of some neighbouring texts. */
    private int id(TextRuns texts, int first, int last) throws OtherEngineException {
        int start = texts.start(first);
        int id = tokens.id(texts.chars(), start, texts.end(last));
        if (id < 0) {
            String token = new String(texts.chars(), start, texts.end(last) - start);
            throw new OtherEngineException("its vocabulary has no token " + token);
        }
        return id;
    }

    private AddedIds added(List<AddedToken> added, boolean composed) throws OtherEngineException {
        Map<String, Integer> raw = new LinkedHashMap<>();
        Map<String, Integer> normalized = new LinkedHashMap<>();
        BitSet left = new BitSet();
        BitSet right = new BitSet();
        BitSet words = new BitSet();
        boolean spaces = false;
        boolean strips = false;
        int next = tokens.size(); // the library numbers new tokens so, whatever the file says
        for (AddedToken token : added) {
            String text = token.content();
            int known = tokens.id(text);
            int id = known < 0 ? next++ : known;
            only(token.id() == id, "its added token " + text + " has another id than the library gives it");
            only(!text.isEmpty(), "an added token is empty");
            left.set(id, token.left());
            right.set(id, token.right());
            words.set(id, token.singleWord());
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            boolean space = CodePoints.kind(utf8, 0, utf8.length) == CodePoints.SPACE;
            spaces |= space;
            strips |= known >= 0 && (token.right() || (token.left() && space));
            if (token.normalized()) {
                String form = composed ? ComposedForm.of(text) : text;
                only(normalized.put(form, id) == null, "two of its added tokens have the normal form " + form);
            } else {
                raw.put(text, id);
            }
        }
        // The library looks for the next token in the white space that it has removed.
        only(right.isEmpty() || !spaces, "an added token begins with white space, and another has rstrip");
        // The id of a token of a text does not show then whether white space belongs to it.
        only(
                words.isEmpty() || !strips,
                "an added token has single_word, and another, which the model has, has rstrip");
        return new AddedIds(raw, normalized, left, right, words);
    }

    private static void only(boolean reproduced, String reason) throws OtherEngineException {
        if (!reproduced) {
            throw new OtherEngineException(reason);
        }
    }
}
