package io.millrace.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.text.ByteLevelVocabulary.OtherEngineException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The pre-tokenizers of {@code tokenizer.json} that Millrace's own engine reproduces. Tested by {@code PretokensTest}. */
final class PretokenPatterns {
    private static final String DIGITS = "Digits";

    /** The cuts by the patterns that are applied one after the other. */
    private static final Map<List<String>, Pretokens> KNOWN = Map.of(
            List.of(Gpt2Pretokens.PATTERN),
            Gpt2Pretokens.plain(),
            List.of(DIGITS, Gpt2Pretokens.PATTERN),
            Gpt2Pretokens.afterDigits(),
            List.of(LetterPretokens.THREE_DIGITS),
            LetterPretokens.threeDigits(),
            List.of(LetterPretokens.ONE_DIGIT),
            LetterPretokens.oneDigit(),
            List.of(LetterPretokens.MARKS),
            LetterPretokens.marks(),
            List.of("\\p{N}{1,3}", LetterPretokens.ALL_DIGITS),
            LetterPretokens.afterThreeDigits(),
            List.of(CasedPretokens.O200K),
            CasedPretokens.o200k(),
            List.of(CasedPretokens.TEKKEN),
            CasedPretokens.tekken(),
            DeepSeekPretokens.PATTERNS,
            new DeepSeekPretokens());

    private PretokenPatterns() {}

    /**
     * Returns the cuts of a {@code pre_tokenizer}.
     *
     * @throws OtherEngineException when Millrace's engine does not reproduce it; the message is the reason, as a clause
     */
    static Pretokens of(JsonNode cutter) throws OtherEngineException {
        List<JsonNode> parts = new ArrayList<>();
        if (cutter.path("type").asText().equals("Sequence")) {
            cutter.path("pretokenizers").forEach(parts::add);
        } else {
            parts.add(cutter);
        }
        JsonNode last = parts.isEmpty() ? cutter : parts.remove(parts.size() - 1);
        only(last.path("type").asText().equals("ByteLevel"), "its pre_tokenizer does not end with ByteLevel");
        only(!last.path("add_prefix_space").asBoolean(true), "its pre_tokenizer has add_prefix_space");
        List<String> patterns = new ArrayList<>();
        for (JsonNode part : parts) {
            patterns.add(pattern(part, parts.size()));
        }
        if (last.path("use_regex").asBoolean(true)) {
            patterns.add(Gpt2Pretokens.PATTERN);
        }
        Pretokens known = KNOWN.get(patterns);
        if (known == null) {
            throw new OtherEngineException(
                    patterns.isEmpty() ? "its pre_tokenizer does not cut" : "its pattern is unknown");
        }
        return known;
    }

    private static String pattern(JsonNode part, int parts) throws OtherEngineException {
        if (part.path("type").asText().equals(DIGITS)) {
            only(part.path("individual_digits").asBoolean(), "its pre_tokenizer Digits keeps digits together");
            return DIGITS;
        }
        only(part.path("type").asText().equals("Split"), "its pre_tokenizer cuts by other means than Split and Digits");
        boolean invert = part.path("invert").asBoolean();
        String behavior = part.path("behavior").asText();
        // A pattern that matches every character leaves nothing to remove.
        only(
                (behavior.equals("Isolated") && !invert) || (behavior.equals("Removed") && invert && parts == 1),
                "its Split is not Isolated");
        return part.path("pattern").path("Regex").asText();
    }

    private static void only(boolean reproduced, String reason) throws OtherEngineException {
        if (!reproduced) {
            throw new OtherEngineException(reason);
        }
    }
}
