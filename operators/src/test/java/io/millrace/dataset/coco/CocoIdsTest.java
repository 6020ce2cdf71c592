package io.millrace.dataset.coco;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CocoIdsTest {
    @Test
    void textsAreNumberedInTheOrderOfPythonsSorted() throws Exception {
        CocoIds ids = new CocoIds("images", new CocoMemory("some.json"));
        List<String> texts = List.of("b", "10", "\uFB00", "9", "\uD83D\uDE00", "");
        for (int i = 0; i < texts.size(); i++) {
            assertThat(ids.ofText(texts.get(i))).isEqualTo(i);
            assertThat(ids.ofText(texts.get(i))).isEqualTo(i);
            assertThat(ids.read(i)).isEqualTo(texts.get(i));
        }
        assertThat(ids.areTexts()).isTrue();
        assertThat(ids.areNumbers()).isFalse();
        ids.order();
        // sorted(["b", "10", "\uFB00", "9", "\U0001F600", ""])
        List<String> sorted = List.of("", "10", "9", "b", "\uFB00", "\uD83D\uDE00");
        for (int i = 0; i < texts.size(); i++) {
            assertThat(ids.text(ids.ordered(i))).isEqualTo(texts.get(i));
            assertThat(ids.ordered(i)).isEqualTo(sorted.indexOf(texts.get(i)));
        }
        assertThat(ids.ordered(-1)).isEqualTo(-1);
    }

    @Test
    void wholeNumbersStayAsTheyAre() {
        CocoIds ids = new CocoIds("images", new CocoMemory("some.json"));
        assertThat(ids.areNumbers()).isFalse();
        assertThat(ids.ofNumber(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        ids.order();
        assertThat(ids.areNumbers()).isTrue();
        assertThat(ids.ordered(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
        assertThat(ids.text(Long.MIN_VALUE)).isEqualTo("-9223372036854775808");
        assertThat(ids.read(7)).isEqualTo("7");
    }
}
