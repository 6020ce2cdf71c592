package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PretokenCacheTest {
    private final PretokenCache cache = new PretokenCache();

    private int[] known(byte[] text, int from, int to) {
        TokenIds ids = new TokenIds();
        return cache.addTo(ids, text, from, to) ? ids.toArray() : new int[0];
    }

    @Test
    void pretokenOfEachLengthIsFoundInsideAndAtTheEndOfATextAndNoneOfItsBeginnings() {
        byte[] inside = "abcdefghijklmnopqrstuvwxyz0123456789".getBytes(StandardCharsets.US_ASCII);
        for (int length = 1; length <= PretokenCache.LONGEST; length++) {
            byte[] end = "x"
                    .concat("abcdefghijklmnopqrstuvwxyz".substring(0, length))
                    .getBytes(StandardCharsets.US_ASCII);
            assertThat(known(inside, 0, length)).isEmpty();
            cache.put(new int[] {length, 7, 8}, 1 + length % 3);
            assertThat(known(end, 1, 1 + length)).hasSize(1 + length % 3).startsWith(length);
            assertThat(known(inside, 0, length)).hasSize(1 + length % 3).startsWith(length);
        }
        cache.clear();
        assertThat(known(inside, 0, 1)).isEmpty();
    }

    @Test
    void bytesOfZeroAreDistinguishedFromTheEnd() {
        byte[] text = new byte[32];
        for (int length = 1; length <= PretokenCache.LONGEST; length++) {
            assertThat(known(text, 3, 3 + length)).isEmpty();
            cache.put(new int[] {length}, 1);
            assertThat(known(text, 3, 3 + length)).containsExactly(length);
        }
    }

    @Test
    void idsOfAllSizesAreKeptAndFourAreNot() {
        byte[] text = "ab".getBytes(StandardCharsets.US_ASCII);
        int most = BytePairMerges.MOST - 1;
        assertThat(known(text, 0, 2)).isEmpty();
        cache.put(new int[] {most, 0, most, 5}, 3);
        assertThat(known(text, 0, 2)).containsExactly(most, 0, most);
        assertThat(known(text, 0, 1)).isEmpty();
        cache.put(new int[] {1, 2, 3, 4}, 4);
        assertThat(known(text, 0, 1)).isEmpty();
    }
}
