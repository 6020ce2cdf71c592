package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.text.ByteLevelVocabulary.OtherEngineException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PretokensTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNode PRE_TOKENIZERS = vectors().path("pre_tokenizers");

    /** What {@code operators/src/test/python/pretoken_vectors.py} wrote. */
    private static JsonNode vectors() {
        try {
            return JSON.readTree(Files.readAllBytes(LibraryVectors.file("pretokens.json")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> names() {
        List<String> names = new ArrayList<>();
        PRE_TOKENIZERS.fieldNames().forEachRemaining(names::add);
        return names.stream();
    }

    private static List<Integer> ends(Pretokens pretokens, byte[] text, int from, int to) {
        List<Integer> ends = new ArrayList<>();
        for (int at = from; at < to; ) {
            int end = pretokens.end(text, at, to);
            assertThat(end).isGreaterThan(at).isLessThanOrEqualTo(to);
            at = end;
            ends.add(end - from);
        }
        return ends;
    }

    @ParameterizedTest
    @MethodSource("names")
    void cutsAreTheLibrarys(String name) throws Exception {
        JsonNode vectors = vectors();
        Pretokens pretokens = PretokenPatterns.of(PRE_TOKENIZERS.path(name));
        for (int i = 0; i < vectors.path("texts").size(); i++) {
            String text = vectors.path("texts").path(i).textValue();
            // The neighbours show whether the cuts look beyond the text.
            byte[] utf8 = (" \n" + text + "a1 '").getBytes(StandardCharsets.UTF_8);
            List<Integer> expected = new ArrayList<>();
            vectors.path("ends").path(name).path(i).forEach(end -> expected.add(end.intValue()));
            assertThat(ends(pretokens, utf8, 2, utf8.length - 4)).as(text).isEqualTo(expected);
        }
    }

    @Property(tries = 200)
    void pretokensAreNonEmptyWholeCharactersAndMakeUpTheText(@ForAll String any) throws Exception {
        byte[] text = any.getBytes(StandardCharsets.UTF_8);
        for (JsonNode cutter : PRE_TOKENIZERS) {
            Pretokens pretokens = PretokenPatterns.of(cutter);
            for (int end : ends(pretokens, text, 0, text.length)) {
                assertThat(end == text.length || (text[end] & 0xC0) != 0x80).isTrue();
            }
        }
    }

    @Test
    void tiktokensCl100kKeepsWhiteSpaceAtTheEndTogether() {
        byte[] text = "a\n  ".getBytes(StandardCharsets.UTF_8);
        assertThat(ends(LetterPretokens.tiktoken(), text, 0, text.length)).containsExactly(1, 4);
        assertThat(ends(LetterPretokens.threeDigits(), text, 0, text.length)).containsExactly(1, 2, 4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\": \"Whitespace\"} | its pre_tokenizer does not end with ByteLevel",
                "{\"type\": \"ByteLevel\"} | its pre_tokenizer has add_prefix_space",
                "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"use_regex\": false} | its pre_tokenizer does not cut",
                "{\"type\": \"Sequence\", \"pretokenizers\": []} | its pre_tokenizer does not end with ByteLevel"
            })
    void otherPreTokenizersAreLeftToTheLibrary(String cutter, String reason) {
        assertThatThrownBy(() -> PretokenPatterns.of(JSON.readTree(cutter)))
                .isInstanceOf(OtherEngineException.class)
                .hasMessage(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "qwen2, behavior, \"Removed\", its Split is not Isolated",
        "qwen2, invert, true, its Split is not Isolated",
        "phi4, invert, false, its Split is not Isolated",
        "qwen2, pattern, {\"Regex\": \"a\"}, its pattern is unknown",
        "qwen2, pattern, {\"String\": \" \"}, its pattern is unknown",
        "deepseek3, behavior, \"Removed\", its Split is not Isolated",
        "digits, individual_digits, false, its pre_tokenizer Digits keeps digits together",
        "digits, type, \"Punctuation\", its pre_tokenizer cuts by other means than Split and Digits"
    })
    void changedPreTokenizerIsLeftToTheLibrary(String name, String key, String value, String reason)
            throws IOException {
        JsonNode cutter = vectors().path("pre_tokenizers").path(name);
        ((ObjectNode) cutter.path("pretokenizers").path(0)).set(key, JSON.readTree(value));
        assertThatThrownBy(() -> PretokenPatterns.of(cutter))
                .isInstanceOf(OtherEngineException.class)
                .hasMessage(reason);
    }
}
