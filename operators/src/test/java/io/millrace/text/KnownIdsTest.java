package io.millrace.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KnownIdsTest {
    private static final Object VOCABULARY = new Object();
    private static final long LONG = Long.MAX_VALUE / 2;

    private static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }

    private static int[] ids(KnownIds.@Nullable Known known) {
        TokenIds ids = new TokenIds();
        Objects.requireNonNull(known).appendTo(ids);
        return ids.toArray();
    }

    @Test
    void textIsKnownOnceByItsBytesAndItsVocabulary() {
        KnownIds known = new KnownIds(10_000, LONG);
        byte[] text = text("abc");
        known.put(VOCABULARY, text, new int[] {1, 2}, 7);
        text[0] = 'x'; // readers reuse their arrays

        assertThat(known.take(VOCABULARY, text)).isNull();
        assertThat(known.take(new Object(), text("abc"))).isNull();
        KnownIds.Known found = known.take(VOCABULARY, text("abc"));
        assertThat(ids(found)).containsExactly(1, 2);
        assertThat(Objects.requireNonNull(found).cpuNanos()).isEqualTo(7);
        assertThat(known.take(VOCABULARY, text("abc"))).isNull();
    }

    @Test
    void textsOfOneHashAreDistinguished() {
        KnownIds known = new KnownIds(10_000, LONG);
        known.put(VOCABULARY, text("Aa"), new int[] {1}, 0);
        known.put(VOCABULARY, text("BB"), new int[] {2}, 0);

        assertThat(ids(known.take(VOCABULARY, text("BB")))).containsExactly(2);
        assertThat(ids(known.take(VOCABULARY, text("Aa")))).containsExactly(1);
    }

    @Test
    void fullObjectKeepsTheOldestTextsBecauseTheyAreNeededNext() {
        KnownIds known = new KnownIds(1_000, LONG);
        for (int i = 0; i < 100; i++) {
            known.put(VOCABULARY, text("text " + i), new int[] {i}, 0);
        }
        assertThat(known.take(VOCABULARY, text("text 0"))).isNotNull();
        assertThat(known.take(VOCABULARY, text("text 99"))).isNull();

        assertThat(known.put(VOCABULARY, text("text 100"), new int[] {100}, 0)).isTrue();
        assertThat(known.take(VOCABULARY, text("text 100"))).isNotNull();
    }

    @Test
    void oldTextsMakeRoom() {
        KnownIds known = new KnownIds(1_000, 0);
        for (int i = 0; i < 100; i++) {
            known.put(VOCABULARY, text("text " + i), new int[] {i}, 0);
        }
        assertThat(known.take(VOCABULARY, text("text 0"))).isNull();
        assertThat(known.take(VOCABULARY, text("text 99"))).isNotNull();
    }

    @Test
    void textThatIsLargerThanAllRoomIsNotKept() {
        KnownIds known = new KnownIds(1_000, 0);
        assertThat(known.put(VOCABULARY, text("a".repeat(2_000)), new int[0], 0))
                .isFalse();
        assertThat(known.take(VOCABULARY, text("a".repeat(2_000)))).isNull();
    }

    @Test
    void textsOfAVocabularyAreForgotten() {
        KnownIds known = new KnownIds(1_000, LONG);
        Object other = new Object();
        known.put(VOCABULARY, text("a"), new int[] {1}, 0);
        known.put(other, text("a"), new int[] {2}, 0);
        known.forget(VOCABULARY);
        assertThat(known.take(VOCABULARY, text("a"))).isNull();
        assertThat(ids(known.take(other, text("a")))).containsExactly(2);
    }
}
