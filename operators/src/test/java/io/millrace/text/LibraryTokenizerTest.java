package io.millrace.text;

import static io.millrace.text.LibraryVectors.encode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LibraryTokenizerTest {
    /** A tokenizer of three words, in which a test replaces one part. */
    private static final String WORDS = """
            {"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
             "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
             "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "<s>": 2}, "unk_token": "a"}}""";

    private static LibraryTokenizer open(String json) throws TokenizerException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        LibraryVocabulary vocabulary = TokenizerJson.read("t.json", bytes).vocabulary();
        return (LibraryTokenizer)
                LibraryModel.load("t.json", vocabulary, bytes).tokenizer().orElseThrow();
    }

    private static LibraryTokenizer openFile(String name) throws IOException {
        return open(Files.readString(LibraryVectors.file(name)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"unigram.json", "wordpiece.json", "byte_fallback.json", "metaspace.json", "unknown_pattern.json"
            })
    void idsEqualThoseOfTheLibraryInPython(String name) throws IOException {
        List<String> texts = LibraryVectors.texts();
        List<int[]> expected = LibraryVectors.ids(name);
        try (LibraryTokenizer tokenizer = openFile(name)) {
            for (int i = 0; i < texts.size(); i++) {
                assertThat(encode(tokenizer, texts.get(i)))
                        .as(name + ": " + texts.get(i))
                        .isEqualTo(expected.get(i));
            }
        }
        assertThat(texts).hasSizeGreaterThan(200);
    }

    @Test
    void templateIsPrefixAndSuffix() throws IOException {
        try (LibraryTokenizer bert = openFile("wordpiece.json");
                LibraryTokenizer t5 = openFile("unigram.json");
                LibraryTokenizer twice = openFile("metaspace.json");
                LibraryTokenizer none = openFile("unknown_pattern.json")) {
            assertThat(bert.prefix()).containsExactly(2);
            assertThat(bert.suffix()).containsExactly(3);
            assertThat(t5.prefix()).isEmpty();
            assertThat(t5.suffix()).containsExactly(1);
            assertThat(twice.prefix()).containsExactly(1, 1);
            assertThat(twice.suffix()).containsExactly(2);
            assertThat(none.prefix()).isEmpty();
            assertThat(none.suffix()).isEmpty();
        }
    }

    @Test
    void truncationAndPaddingOfTheFileAreIgnored() throws IOException {
        assertThat(Files.readString(LibraryVectors.file("unigram.json"))).contains("\"max_length\":4", "\"Fixed\":9");
        try (LibraryTokenizer tokenizer = openFile("unigram.json")) {
            assertThat(encode(tokenizer, "a b a b a b a b a b a b a b")).hasSizeGreaterThan(9);
            assertThat(encode(tokenizer, "")).isEmpty();
        }
    }

    @Test
    void onlyTheRangeIsEncodedAndIdsAreAppended() throws IOException {
        byte[] utf8 = "b a b a".getBytes(StandardCharsets.UTF_8);
        try (LibraryTokenizer tokenizer = open(WORDS)) {
            TokenIds ids = new TokenIds();
            ids.add(7);
            tokenizer.encode(utf8, 2, 5, ids);
            assertThat(ids.toArray()).containsExactly(7, 0, 1);
        }
    }

    @Test
    void tokensAreFoundAsTheVocabularySpellsThem() throws IOException {
        try (LibraryTokenizer tokenizer = openFile("unigram.json")) {
            assertThat(tokenizer.id("</s>")).hasValue(1);
            assertThat(tokenizer.id("<mask>")).hasValue(tokenizer.size() - 2);
            assertThat(tokenizer.id("<none>")).isEmpty();
            assertThat(tokenizer.engine()).isEqualTo("tokenizers");
        }
    }

    @Test
    void textAboveTheLimitIsRefusedBeforeTheLibrarySeesIt() throws IOException {
        try (LibraryTokenizer tokenizer = open(WORDS)) {
            byte[] utf8 = new byte[LibraryTokenizer.MOST_BYTES + 1];
            assertThatThrownBy(() -> tokenizer.encode(utf8, 0, utf8.length, new TokenIds()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("t.json takes texts of at most 8 MiB, found one of 8388609 bytes");
        }
    }

    @Test
    void addedTokenThatTheLibraryNumbersAnewIsRefused() {
        String json = WORDS.replace(
                "\"added_tokens\": []",
                "\"added_tokens\": [{\"id\": 9, \"content\": \"<x>\", \"single_word\": false, \"lstrip\": false,"
                        + " \"rstrip\": false, \"normalized\": false, \"special\": true}]");
        assertThatThrownBy(() -> open(json))
                .isInstanceOf(TokenizerException.class)
                .hasMessageContaining("expected the id 9 for the added token <x>")
                .hasMessageContaining("make [3] of it");
    }

    @Test
    void templateWithTheTextTwiceIsRefused() {
        String json = WORDS.replace("\"post_processor\": null", """
                "post_processor": {"type": "TemplateProcessing",
                  "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<s>", "type_id": 0}},
                             {"Sequence": {"id": "A", "type_id": 0}}],
                  "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
                  "special_tokens": {"<s>": {"id": "<s>", "ids": [2], "tokens": ["<s>"]}}}""");
        assertThatThrownBy(() -> open(json))
                .isInstanceOf(TokenizerException.class)
                .hasMessageContaining(
                        "t.json: \"post_processor\": expected one text with tokens before and after it, found [{");
    }

    /** The library would end the process at the first text. */
    @Test
    void templateWithAnUndefinedTokenIsRefused() {
        String json = WORDS.replace("\"post_processor\": null", """
                "post_processor": {"type": "TemplateProcessing", "special_tokens": {}, "pair": [],
                  "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]}""");
        assertThatThrownBy(() -> open(json))
                .isInstanceOf(TokenizerException.class)
                .hasMessage(
                        "t.json: \"post_processor\": expected ids of the token '<s>' in \"special_tokens\", found nothing");
    }

    @Test
    void templatesOfASequenceSurroundEachOther() throws IOException {
        String json = WORDS.replace("\"post_processor\": null", """
                "post_processor": {"type": "Sequence", "processors": [
                  {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
                  {"type": "BertProcessing", "cls": ["a", 0], "sep": ["b", 1]},
                  {"type": "RobertaProcessing", "cls": ["<s>", 2], "sep": ["<s>", 2], "trim_offsets": true,
                   "add_prefix_space": false}]}""");
        try (LibraryTokenizer tokenizer = open(json)) {
            assertThat(tokenizer.prefix()).containsExactly(2, 0);
            assertThat(tokenizer.suffix()).containsExactly(1, 2);
            assertThat(encode(tokenizer, "b")).containsExactly(1);
        }
    }

    @Test
    void fileThatTheLibraryRefusesIsRefusedByName() {
        assertThatThrownBy(() -> open(WORDS.replace("\"Whitespace\"", "\"Unheard\"")))
                .isInstanceOf(TokenizerException.class)
                .hasMessageStartingWith("t.json is refused by Hugging Face's tokenizers: ");
    }

    @Test
    void textThatTheLibraryCannotEncodeIsAnErrorWithTheFile() throws IOException {
        try (LibraryTokenizer tokenizer = open(WORDS.replace("\"unk_token\": \"a\"", "\"unk_token\": \"none\""))) {
            assertThat(encode(tokenizer, "b a")).containsExactly(1, 0);
            assertThatThrownBy(() -> encode(tokenizer, "other"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(
                            "t.json: Hugging Face's tokenizers cannot make ids of a text of 5 characters: ");
        }
    }

    @Test
    void closedTokenizerEncodesNothing() throws IOException {
        LibraryTokenizer tokenizer = open(WORDS);
        tokenizer.close();
        tokenizer.close();
        assertThatThrownBy(() -> encode(tokenizer, "a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The tokenizer of t.json is closed");
    }
}
