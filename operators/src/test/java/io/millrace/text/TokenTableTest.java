package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class TokenTableTest {
    @Property(tries = 100)
    void idsAreThoseOfAMap(@ForAll @Size(max = 2000) List<@StringLength(max = 3) String> tokens) {
        Map<String, Integer> expected = new LinkedHashMap<>();
        TokenTable table = new TokenTable();
        for (int id = 0; id < tokens.size(); id++) {
            expected.put(tokens.get(id), id);
            table.put(tokens.get(id), id);
        }
        Map<String, Integer> found = new LinkedHashMap<>();
        table.forEach((text, from, to, id) -> found.put(new String(text, from, to - from), id));
        assertThat(found).containsExactlyEntriesOf(expected);
        assertThat(table.size()).isEqualTo(expected.size());
        assertThat(table.most()).isEqualTo(tokens.size() - 1);
        expected.forEach((token, id) -> assertThat(table.id(token)).isEqualTo(id));
        assertThat(table.id("none!")).isEqualTo(TokenTable.NONE);
    }

    @Test
    void tokenIsFoundWithinOtherCharacters() {
        TokenTable table = new TokenTable();
        table.put("xabcx".toCharArray(), 1, 4, 7);
        assertThat(table.id("abc")).isEqualTo(7);
        assertThat(table.id("_abc_".toCharArray(), 1, 4)).isEqualTo(7);
        assertThat(table.id("_abc_".toCharArray(), 1, 3)).isEqualTo(TokenTable.NONE);
        table.put("abc", 3);
        assertThat(table.id("abc")).isEqualTo(3);
        assertThat(table.size()).isEqualTo(1);
        assertThat(table.most()).isEqualTo(7);
    }
}
