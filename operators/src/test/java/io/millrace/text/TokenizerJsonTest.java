package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenizerJsonTest {
    private static TokenizerJson read(String json) throws TokenizerException {
        return TokenizerJson.read("t.json", json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void idsOfTokensAndOfAddedTokensAreRead() throws TokenizerException {
        TokenizerJson read = read("""
                {"added_tokens": [{"id": 7, "content": "<x>", "lstrip": true, "normalized": false}, {"id": 4, "content": "b"}],
                 "other": {"vocab": [1, {"a": 2}]}, "model": {"type": "BPE", "merges": ["a b"], "vocab": {"a": 0, "b": 3}}}""");
        assertThat(read.type()).isEqualTo("BPE");
        LibraryVocabulary vocabulary = read.vocabulary();
        assertThat(vocabulary.id("a")).hasValue(0);
        assertThat(vocabulary.id("b")).hasValue(4);
        assertThat(vocabulary.id("<x>")).hasValue(7);
        assertThat(vocabulary.id("<y>")).isEmpty();
        assertThat(vocabulary.size()).isEqualTo(8);
        assertThat(read.added())
                .containsExactly(
                        new TokenizerJson.AddedToken("<x>", 7, false, true, false, false),
                        new TokenizerJson.AddedToken("b", 4, false, false, false, false));
    }

    @Test
    void mergesOfBothFormsAndBeforeTheirVocabularyAreRead() throws TokenizerException {
        TokenizerJson read =
                read("{\"model\": {\"merges\": [\"a bc\", [\" \", \"d\"], \"e\"], \"dropout\": 0.5, \"vocab\": {}}}");
        TextRuns merges = read.merges();
        assertThat(IntStream.range(0, merges.size()).mapToObj(merges::text))
                .containsExactly("a", "bc", " ", "d", "e", "");
        assertThat(read.setting("dropout").doubleValue()).isEqualTo(0.5);
        assertThat(read.setting("unk_token").isMissingNode()).isTrue();
    }

    @Test
    void modelThatStatesNoTypeIsAPairEncodingIfItHasMerges() throws TokenizerException {
        assertThat(read("{\"model\": {\"vocab\": {}, \"merges\": []}}").pairEncoding())
                .isTrue();
        assertThat(read("{\"model\": {\"vocab\": {}}}").pairEncoding()).isFalse();
        assertThat(read("{\"model\": {\"type\": \"WordLevel\", \"vocab\": {}, \"merges\": []}}")
                        .pairEncoding())
                .isFalse();
    }

    @Test
    void idOfAPieceWithAScoreIsItsPlace() throws TokenizerException {
        TokenizerJson read = read("{\"model\": {\"vocab\": [[\"a\", 0.0], [\"b\", -1], [\"a\", -2]], \"unk_id\": 0}}");
        assertThat(read.type()).isNull();
        assertThat(read.vocabulary().id("a")).hasValue(0);
        assertThat(read.vocabulary().id("b")).hasValue(1);
        assertThat(read.vocabulary().size()).isEqualTo(2);
    }

    @Test
    void bytesThatAreNoUtf8AreRefused() {
        byte[] json = "{\"model\": {\"vocab\": {\"\u00e9\": 0}}}".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> TokenizerJson.read("t.json", json))
                .isInstanceOf(TokenizerException.class)
                .hasMessageStartingWith("t.json is not JSON: expected UTF-8, found other bytes at byte 22");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            []                                         | line 1, column 1: expected an object, found [
            {}                                         | expected the key "model" with a "vocab", found none
            {"model": 3}                               | line 1, column 11: expected an object as "model", found 3
            {"model": {"type": "BPE"}}                 | expected the key "model" with a "vocab", found none
            {"model": {"type": 4}}                     | expected a string as "type" of the model, found 4
            {"model": {"vocab": "a"}}                  | expected an object or an array as "vocab", found a
            {"model": {"vocab": {"a": -1}}}            | expected an id of 0 to 2147483647 of a, found -1
            {"model": {"vocab": {"a": 4294967296}}}    | expected an id of 0 to 2147483647 of a, found 4294967296
            {"model": {"vocab": {"a": "0"}}}           | expected an id of 0 to 2147483647 of a, found 0
            {"model": {"vocab": ["a"]}}                | expected an array of a piece and its score in "vocab", found a
            {"model": {"vocab": [["a", "b"]]}}         | expected a piece and its score in "vocab", found b
            {"model": {"vocab": {}}, "added_tokens": 1}| expected an array as "added_tokens", found 1
            {"model": {"vocab": {}}, "added_tokens": [{"id": 1}]}| expected "id" and "content" of each of the "added_tokens", found }
            {"model": {"vocab": {}}} {}                | expected the end of the file after the object, found {
            {"model": {"vocab": {"a": 0}               | t.json is not JSON: line 1, column
            {"model": {"merges": [["a"]]}}             | expected two tokens in each of the "merges", found ]
            {"model": {"merges": [1]}}                 | expected two tokens in each of the "merges", found 1
            {"model": {"continuing_subword_prefix": "##", "merges": ["a b"]}}| expected a right part that begins with ## in each of the "merges"
            {"model": {"merges": ["a b"], "continuing_subword_prefix": "##"}}| expected "continuing_subword_prefix" before "merges"
            {"model": {}, "post_processor": {"type": "Other"}}| "post_processor": expected ByteLevel, BertProcessing
            {"model": {}, "post_processor": {"type": "BertProcessing", "cls": ["a"]}}| expected an id of 0 to 2147483647, found nothing
            {"model" {                                 | t.json is not JSON: line 1, column 10
            """)
    void badFileIsRefusedWithItsPlace(String json, String sentence) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(TokenizerException.class)
                .hasMessageStartingWith("t.json")
                .hasMessageContaining(sentence);
    }

    @Test
    void fileThatEndsAnywhereIsRefused() throws Exception {
        String json = Files.readString(LibraryVectors.file("wordpiece.json"));
        for (int end = 0; end < json.length(); end += 1 + end / 20) {
            String part = json.substring(0, end);
            assertThatThrownBy(() -> read(part)).isInstanceOf(TokenizerException.class);
        }
    }
}
