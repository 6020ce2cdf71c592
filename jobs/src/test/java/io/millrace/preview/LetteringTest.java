package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LetteringTest {
    /** Names of files have accents as one character on most systems, and as two characters on macOS. */
    @Test
    void lettersWithAccentsAreDrawnWithoutThem() {
        assertSame("B\u00e4r, Stra\u00dfe, \u00e9t\u00e9", "Bar, Strasse, ete");
        assertSame("Ba\u0308r", "Bar");
    }

    @Test
    void charactersWithoutStrokesAreQuestionMarks() {
        assertSame("\u732b 1", "? 1");
    }

    private static void assertSame(String text, String drawn) {
        assertThat(Lettering.TEXT.width(text)).isEqualTo(Lettering.TEXT.width(drawn));
        assertThat(Lettering.TEXT.draw(text).coverage().data())
                .isEqualTo(Lettering.TEXT.draw(drawn).coverage().data());
    }
}
