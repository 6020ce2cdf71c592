package io.millrace.text;

import static io.millrace.text.LibraryVectors.encode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.text.SentencePieceModel.Algorithm;
import io.millrace.text.SentencePieceModel.Kind;
import io.millrace.text.SentencePieceModel.Piece;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SentencePieceConversionTest {
    private static final List<Piece> PIECES = List.of(
            new Piece("<unk>", 0, Kind.UNKNOWN), new Piece("<s>", 0, Kind.CONTROL), new Piece("a", -1, Kind.NORMAL));

    private static SentencePieceModel model(List<Piece> pieces) {
        return new SentencePieceModel(pieces, Algorithm.BPE, false, false, false, true, false, true);
    }

    private static List<Piece> with(Piece piece) {
        List<Piece> pieces = new ArrayList<>(PIECES);
        pieces.add(piece);
        return pieces;
    }

    private static void assertRefused(SentencePieceModel model, String because) {
        assertThatThrownBy(() -> SentencePieceConversion.tokenizerJson("t.model", model))
                .isInstanceOf(TokenizerException.class)
                .hasMessageStartingWith("t.model is ")
                .hasMessageContaining(because);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes.model", "unknowns.model"})
    void idsEqualThoseOfSentencePiece(String name) throws IOException {
        List<String> texts = LibraryVectors.texts();
        List<int[]> expected = LibraryVectors.ids(name);
        try (ChosenTokenizer chosen = Tokenizers.open(LibraryVectors.file(name).toString())) {
            for (int i = 0; i < texts.size(); i++) {
                assertThat(encode(chosen.tokenizer(), texts.get(i)))
                        .as(name + ": " + texts.get(i))
                        .isEqualTo(expected.get(i));
            }
            assertThat(chosen.tokenizer().id("<s>")).hasValue(1);
            assertThat(chosen.tokenizer().prefix()).isEmpty();
            assertThat(chosen.tokenizer().suffix()).isEmpty();
        }
    }

    @Test
    void modelWhoseIdsWouldDifferIsRefusedWithTheRemedy() {
        assertRefused(
                new SentencePieceModel(PIECES, Algorithm.UNIGRAM, false, false, false, true, false, true),
                "because its algorithm is UNIGRAM and not BPE");
        assertRefused(
                new SentencePieceModel(PIECES, Algorithm.BPE, false, false, true, true, false, true),
                "because it changes characters (precompiled_charsmap)");
        assertRefused(
                new SentencePieceModel(PIECES, Algorithm.BPE, false, false, false, true, true, true),
                "because it removes spaces (remove_extra_whitespaces)");
        assertRefused(
                new SentencePieceModel(PIECES, Algorithm.BPE, false, true, false, true, false, true),
                "because it does not mark spaces before words");
        assertRefused(
                model(with(new Piece("[REF]", 0, Kind.USER_DEFINED))),
                "because the piece '[REF]' is of the kind USER_DEFINED");
        assertRefused(
                model(with(new Piece("~", 0, Kind.CONTROL))),
                "because the piece '~' of the kind CONTROL is one character");
        assertRefused(model(PIECES.subList(1, 3)), "because it has 0 pieces of the kind UNKNOWN instead of 1");
        assertRefused(model(PIECES.subList(1, 3)), "AutoTokenizer.from_pretrained");
    }

    @Test
    void piecesOfOneTextAreRefused() {
        assertRefused(model(with(new Piece("a", -2, Kind.NORMAL))), "found 'a' for piece 3 and for piece 2");
        assertRefused(model(with(new Piece("", -2, Kind.NORMAL))), "found '' for piece 3");
    }
}
