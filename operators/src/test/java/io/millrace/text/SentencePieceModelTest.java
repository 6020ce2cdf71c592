package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.text.SentencePieceModel.Algorithm;
import io.millrace.text.SentencePieceModel.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SentencePieceModelTest {
    private static byte[] bytes(String name) throws IOException {
        return Files.readAllBytes(LibraryVectors.file(name));
    }

    @Test
    void settingsAndPiecesAreRead() throws IOException {
        SentencePieceModel model = SentencePieceModel.read("t.model", bytes("bytes.model"));
        assertThat(model.algorithm()).isEqualTo(Algorithm.BPE);
        assertThat(model.byteFallback()).isTrue();
        assertThat(model.normalized()).isFalse();
        assertThat(model.dummyPrefix()).isTrue();
        assertThat(model.whitespaceRemoved()).isFalse();
        assertThat(model.pieces().get(0)).isEqualTo(new SentencePieceModel.Piece("<unk>", 0, Kind.UNKNOWN));
        assertThat(model.pieces().get(3)).isEqualTo(new SentencePieceModel.Piece("<0x00>", 0, Kind.BYTE));
        assertThat(SentencePieceModel.read("t.model", bytes("unknowns.model")).dummyPrefix())
                .isFalse();
        assertThat(SentencePieceModel.read("t.model", bytes("unigram.model")).algorithm())
                .isEqualTo(Algorithm.UNIGRAM);
    }

    /** A file that ends between two pieces has no settings, and those that it would have by default are refused. */
    @Test
    void fileThatEndsEarlyIsRefused() throws IOException {
        byte[] whole = bytes("unknowns.model");
        int last = 0;
        for (int end = 0; end < whole.length; end++) {
            try {
                SentencePieceConversion.tokenizerJson(
                        "t.model", SentencePieceModel.read("t.model", Arrays.copyOf(whole, end)));
            } catch (TokenizerException e) {
                assertThat(e).hasMessageStartingWith("t.model is ");
                last = end;
                continue;
            }
            assertThat(whole.length - end)
                    .as("only the denormalizer's empty settings are missing")
                    .isLessThan(4);
        }
        assertThat(last).isGreaterThan(whole.length - 4);
    }

    @Test
    void otherBytesAreRefused() {
        assertThatThrownBy(() -> SentencePieceModel.read("t.model", new byte[] {'\n', 100, 1}))
                .isInstanceOf(TokenizerException.class)
                .hasMessage(
                        "t.model is no model of SentencePiece, or is damaged: byte 1: expected up to 1 bytes, found a length of 100");
        assertThatThrownBy(() -> SentencePieceModel.read("t.model", new byte[0]))
                .isInstanceOf(TokenizerException.class)
                .hasMessageContaining("expected pieces, found none in 0 bytes");
    }
}
