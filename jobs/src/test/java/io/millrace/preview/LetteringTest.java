package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LetteringTest {
    /** Names of files have accents as one character on most systems, and as two characters on macOS. */
    @Test
    void strokesOfLettersWithAccentsLackThem() {
        assertThat(Lettering.ascii("B\u00e4r, Stra\u00dfe, \u00e9t\u00e9")).isEqualTo("Bar, Strasse, ete");
        assertThat(Lettering.ascii("Ba\u0308r")).isEqualTo("Bar");
    }

    @Test
    void charactersWithoutStrokesAreEscaped() {
        assertThat(Lettering.ascii("\u732b 1\n")).isEqualTo("\\u732b 1\\u000a");
        assertThat(Lettering.ascii("\ud83d\udc31")).isEqualTo("\\ud83d\\udc31");
    }

    /** The character is of the area for private use. */
    @Test
    void textThatNoFontHasIsDrawnWithStrokes() {
        assertThat(Lettering.TEXT.width("label 3: \ue123")).isEqualTo(Lettering.TEXT.width("label 3: \\ue123"));
        assertThat(Lettering.TEXT.draw("label 3: \ue123").coverage().data())
                .isEqualTo(Lettering.TEXT.draw("label 3: \\ue123").coverage().data());
    }

    @ParameterizedTest
    @ValueSource(strings = {"B\u00e4r", "\u732b", "\u043a\u043e\u0442", "\u0642\u0637", "\ud83d\udc31"})
    void textOfEveryScriptIsDrawnAsWideAsItIsMeasured(String text) {
        Lettering.Drawn drawn = Lettering.TEXT.draw(text);
        assertThat(Lettering.TEXT.width(text)).isPositive();
        assertThat(drawn.coverage().shape()[1]).isGreaterThanOrEqualTo(Lettering.TEXT.width(text));
        assertThat(drawn.baseline()).isBetween(1, drawn.coverage().shape()[0]);
        byte[] ink = drawn.coverage().data();
        assertThat(IntStream.range(0, ink.length).filter(i -> ink[i] != 0).count())
                .isGreaterThan(10);
    }

    @Test
    void umlautsHaveTheirDotsWhereAFontHasThem() {
        Optional<FontGlyphs.Ink> dotted = FontGlyphs.draw("\u00e4", 30, 0);
        Optional<FontGlyphs.Ink> plain = FontGlyphs.draw("a", 30, 0);
        assertThat(dotted.map(LetteringTest::highest).orElse(0))
                .isLessThanOrEqualTo(plain.map(ink -> highest(ink) - 4).orElse(0));
        assertThat(FontGlyphs.draw("\ue123", 30, 0)).isEmpty();
        assertThat(FontGlyphs.draw("", 30, 0)).isEmpty();
    }

    /** Returns the first row with ink. */
    private static int highest(FontGlyphs.Ink ink) {
        byte[] coverage = ink.coverage().data();
        int first = 0;
        while (coverage[first] == 0) {
            first++;
        }
        return first / ink.coverage().shape()[1];
    }
}
