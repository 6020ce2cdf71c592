package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LibraryVocabularyTest {
    private static LibraryVocabulary read(String json) throws TokenizerException {
        return LibraryVocabulary.read("t.json", json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void idsOfTokensAndOfAddedTokensAreRead() throws TokenizerException {
        LibraryVocabulary read = read("""
                {"added_tokens": [{"id": 7, "content": "<x>", "special": true}],
                 "other": {"vocab": [1, {"a": 2}]}, "model": {"type": "BPE", "merges": ["a b"], "vocab": {"a": 0, "b": 3}}}""");
        assertThat(read.model()).isEqualTo("BPE");
        assertThat(read.ids())
                .containsOnlyKeys("a", "b", "<x>")
                .containsEntry("b", 3)
                .containsEntry("<x>", 7);
        assertThat(read.added()).containsOnlyKeys("<x>");
        assertThat(read.size()).isEqualTo(8);
    }

    @Test
    void idOfAPieceWithAScoreIsItsPlace() throws TokenizerException {
        LibraryVocabulary read = read("{\"model\": {\"vocab\": [[\"a\", 0.0], [\"b\", -1]], \"unk_id\": 0}}");
        assertThat(read.model()).isNull();
        assertThat(read.ids()).containsEntry("a", 0).containsEntry("b", 1);
        assertThat(read.size()).isEqualTo(2);
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
