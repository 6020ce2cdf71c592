package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextWrapTest {
    @Test
    void linesBreakAtSpacesAndLongWordsAnywhere() {
        assertThat(TextWrap.lines("found an empty  file", 8, String::length))
                .containsExactly("found an", "empty", "file");
        assertThat(TextWrap.lines("a/very/long/path", 7, String::length)).containsExactly("a/very/", "long/pa", "th");
        assertThat(TextWrap.lines(" ", 7, String::length)).isEmpty();
    }

    @Test
    void tooLongTextIsShortenedInTheMiddle() {
        String path = "train/n01440764/n01440764_10026.JPEG";
        String fitted = Lettering.TEXT.fit(path, 120);
        assertThat(fitted).contains("...").endsWith(".JPEG").hasSizeLessThan(path.length());
        assertThat(Lettering.TEXT.width(fitted)).isLessThanOrEqualTo(120);
        assertThat(Lettering.TEXT.fit(path, 2000)).isEqualTo(path);
        assertThat(Lettering.TEXT.fit(path, 0)).isEmpty();
    }
}
