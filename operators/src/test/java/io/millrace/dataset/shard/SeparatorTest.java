package io.millrace.dataset.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class SeparatorTest {
    @Property(tries = 2000)
    void matchesAreThoseOfAPattern(
            @ForAll @Chars({'\r', '\n', 'a'}) @StringLength(min = 1, max = 4) String separator,
            @ForAll @Chars({'\r', '\n', 'a'}) @CharRange(from = 'b', to = 'b') @StringLength(max = 60) String text) {
        List<List<Integer>> expected = new ArrayList<>();
        Matcher matcher =
                Pattern.compile(separator.replaceAll("(?<!\r)\n", "\r?\n")).matcher(text);
        while (matcher.find()) {
            expected.add(List.of(matcher.start(), matcher.end()));
        }
        assertThat(matches(new Separator(separator), text)).isEqualTo(expected);
    }

    private static List<List<Integer>> matches(Separator separator, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        List<List<Integer>> found = new ArrayList<>();
        int done = 0;
        for (int at = separator.find(bytes, 0, bytes.length, bytes.length);
                at >= 0;
                at = separator.find(bytes, done, bytes.length, bytes.length)) {
            done = separator.after(bytes, at, bytes.length);
            found.add(List.of(at, done));
        }
        return found;
    }

    @Test
    void matchMayEndAfterThePartButNotAfterTheEnd() {
        byte[] text = "0123456789ab\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        Separator paragraph = new Separator("\n\n");
        assertThat(paragraph.find(text, 0, 13, text.length)).isEqualTo(12);
        assertThat(paragraph.after(text, 12, text.length)).isEqualTo(16);
        assertThat(paragraph.find(text, 0, 12, text.length)).isEqualTo(-1);
        assertThat(paragraph.find(text, 0, 13, 15)).isEqualTo(-1);
    }

    @Test
    void emptySeparatorIsRefused() {
        assertThatThrownBy(() -> new Separator("")).hasMessage("a separator needs at least one character");
    }
}
