package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TokenSpansTest {
    private final TokenSpans spans = new TokenSpans();

    @Test
    void tokenWithAByteIsFoundOrTheNextOne() {
        spans.add(0, 2);
        spans.add(3, 5);
        spans.add(3, 5);
        spans.add(5, 8);
        assertThat(spans.at(0)).isZero();
        assertThat(spans.at(2)).isEqualTo(1);
        assertThat(spans.at(4)).isEqualTo(1);
        assertThat(spans.at(5)).isEqualTo(3);
        assertThat(spans.at(8)).isEqualTo(spans.size()).isEqualTo(4);
        for (int i = 4; i < 1000; i++) {
            spans.add(i + 4, i + 5);
        }
        assertThat(spans.begin(999)).isEqualTo(1003);
        assertThat(spans.at(1003)).isEqualTo(999);
        spans.clear();
        assertThat(spans.size()).isZero();
        assertThatThrownBy(() -> spans.end(0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void placesThatGoBackAreRefused() {
        spans.add(2, 4);
        assertThatThrownBy(() -> spans.add(2, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "token 1 has the bytes 2 to 3 of its text, expected an end of at least 4, that of the token before");
        assertThatThrownBy(() -> spans.add(6, 5)).isInstanceOf(IllegalArgumentException.class);
    }
}
