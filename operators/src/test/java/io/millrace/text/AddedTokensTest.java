package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AddedTokensTest {
    private static String found(AddedTokens tokens, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        StringBuilder found = new StringBuilder();
        int at = tokens.next(utf8, 0, utf8.length);
        while (at < utf8.length) {
            long token = tokens.longest(utf8, at, utf8.length);
            int end = token < 0 ? at + 1 : (int) token;
            if (token >= 0) {
                found.append(token >>> 32).append('@').append(at).append(' ');
            }
            at = tokens.next(utf8, end, utf8.length);
        }
        return found.toString();
    }

    @Test
    void longestTokenThatBeginsAtAByteIsFound() {
        AddedTokens tokens = new AddedTokens(Map.of("<a>", 1, "<a>b", 2, "<", 3, "é<", 4, "b>c>", 5));
        assertThat(found(tokens, "<a>b<a><ab")).isEqualTo("2@0 1@4 3@7 ");
        assertThat(found(tokens, "xé<a>b>c>é")).isEqualTo("4@1 5@6 ");
        assertThat(found(tokens, "b>c")).isEmpty();
        assertThat(found(tokens, "")).isEmpty();
    }

    @Test
    void thousandTokensWithOneBeginningAreToldApart() {
        Map<String, Integer> many = new LinkedHashMap<>();
        IntStream.range(0, 1000).forEach(i -> many.put("<|reserved_" + i + "|>", i));
        AddedTokens tokens = new AddedTokens(many);
        many.forEach(
                (token, id) -> assertThat(found(tokens, " " + token + "|>")).isEqualTo(id + "@1 "));
        assertThat(found(tokens, "<|reserved_1000|>")).isEmpty();
        assertThat(found(new AddedTokens(Map.of()), "<|reserved_1|>")).isEmpty();
    }
}
