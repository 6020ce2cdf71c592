package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenizersTest {
    @TempDir
    private Path folder;

    private Path write(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    private static void assertRefused(Object spec, String... parts) {
        assertThatThrownBy(() -> Tokenizers.open(spec.toString()))
                .isInstanceOf(TokenizerException.class)
                .hasMessageContainingAll(parts);
    }

    @ParameterizedTest
    @CsvSource({
        "unigram.json, the model is Unigram",
        "wordpiece.json, the model is WordPiece",
        "bytes.model, the file is a SentencePiece model of BPE"
    })
    void eachKindOfFileGoesToItsEngineWithTheReason(String name, String reason) throws IOException {
        String spec = LibraryVectors.file(name).toString();
        try (ChosenTokenizer chosen = Tokenizers.open(spec)) {
            assertThat(chosen.describe()).isEqualTo("tokenizer " + spec + ": engine tokenizers, because " + reason);
        }
    }

    @Test
    void folderStandsForItsTokenizerJson() throws IOException {
        Files.copy(LibraryVectors.file("wordpiece.json"), folder.resolve("tokenizer.json"));
        try (ChosenTokenizer chosen = Tokenizers.open(folder.toString())) {
            assertThat(chosen.tokenizer().id("[CLS]")).hasValue(2);
        }
    }

    @Test
    void folderWithoutTokenizerJsonIsRefusedWithTheFilesThatItHas() throws IOException {
        assertRefused(
                folder,
                folder + " has no tokenizer: expected the file tokenizer.json or tekken.json, found none of them");
        write("vocab.json", "{}");
        write("tokenizer.model", "x");
        write("model.safetensors", "x");
        assertRefused(folder, "found tokenizer.model, vocab.json; name one of these files");
    }

    @Test
    void missingFileIsRefused() {
        assertRefused(
                folder.resolve("none.json"),
                "none.json': expected the path of a tokenizer.json",
                "; found no such file");
        assertRefused("", "tokenizer '': expected the path");
        assertRefused("s3://bucket/tokenizer.json", "addresses are not read: copy the file");
        assertRefused("a\u0000b", "is no path");
    }

    @Test
    void folderNamedLikeAModelIsAFolder() throws IOException {
        Path named = Files.createDirectory(folder.resolve("tokenizer.model"));
        assertRefused(named, named + " has no tokenizer: expected the file tokenizer.json or tekken.json, found ");
    }

    @Test
    void fileOfNoKindIsRefused() throws IOException {
        assertRefused(
                write("empty.json", ""), "is no tokenizer: expected 1 to 268435456 bytes, found a file of 0 bytes");
        assertRefused(write("t.json", "tokens"), "t.json is not JSON: line 1, column");
        assertRefused(write("t.txt", "some words\n"), "t.txt is no tokenizer: expected", "begins with 'some words\\n'");
        assertRefused(write("t.model", "\u0001\u0002"), "t.model is no tokenizer: expected");
        assertRefused(write("u.model", "\nabc"), "u.model is no model of SentencePiece, or is damaged: byte 1: ");
    }

    @Test
    void weightsAreRefusedBeforeTheyAreRead() throws IOException {
        Path weights = folder.resolve("model.safetensors");
        try (RandomAccessFile file = new RandomAccessFile(weights.toFile(), "rw")) {
            file.setLength(8L << 30);
        }
        assertRefused(
                weights,
                "model.safetensors is no tokenizer: expected 1 to 268435456 bytes, found a file of 8589934592 bytes");
        String header = "{\"__metadata__\":{\"format\":\"pt\"}}";
        Path small = write("small.safetensors", (char) header.length() + "\0\0\0\0\0\0\0" + header);
        assertRefused(
                small,
                "small.safetensors is no tokenizer: expected a tokenizer.json or tekken.json, ranks of tiktoken");
    }

    @Test
    void jsonOfAnotherProgramIsRefused() throws IOException {
        assertRefused(
                write("config.json", "{\"model_type\": \"llama\"}"),
                "expected the key \"model\" with a \"vocab\", found none");
    }

    @Test
    void unreadableFileIsRefused() throws IOException {
        Path file = write("t.json", "{}");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeThat(Files.isReadable(file)).as("root may read everything").isFalse();
        assertRefused(file, "t.json cannot be read: this user has no permission to read it");
    }

    @Test
    void kindFollowsFromTheBytesAndNotFromTheName() throws IOException {
        Path ranks = write("tokenizer.model", "IQ== 0\nIg== 1\n");
        assertThat(TokenizerFile.read(ranks).kind()).isEqualTo(TokenizerFile.Kind.TIKTOKEN);
        Path json = folder.resolve("wordpiece.model");
        Files.copy(LibraryVectors.file("wordpiece.json"), json);
        assertThat(TokenizerFile.read(json).kind()).isEqualTo(TokenizerFile.Kind.TOKENIZER_JSON);
        assertThat(TokenizerFile.read(LibraryVectors.file("unigram.model")).kind())
                .isEqualTo(TokenizerFile.Kind.SENTENCEPIECE);
        assertThat(new String(TokenizerFile.read(ranks).bytes(), StandardCharsets.US_ASCII))
                .startsWith("IQ== 0");
    }
}
