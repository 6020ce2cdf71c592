package io.millrace.dataset.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class JsonStringTest {
    private static final ObjectMapper PLAIN = new ObjectMapper();
    private static final ObjectMapper ESCAPING =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    @Property
    void textIsThatOfJackson(@ForAll String text, @ForAll boolean escaping) throws JsonProcessingException {
        byte[] json = (escaping ? ESCAPING : PLAIN).writeValueAsBytes(text);
        assertThat(JsonString.utf8(json, 0, true)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void everyEscapeIsDecoded() {
        assertThat(decoded("x\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u4F60\\ud83d\\uDE00\"y", 1, false))
                .isEqualTo("a\"\\/\b\f\n\r\tA\u00e9\u4f60\ud83d\ude00");
        assertThat(decoded("\"\"", 0, false)).isEmpty();
    }

    @Test
    void halfOfAPairIsReplacedOrReported() {
        for (String half : new String[] {"\\ud800", "\\udc00", "\\ude00\\ud83d", "\\ud800\\n", "\\ud800\\u0041"}) {
            assertThat(JsonString.utf8(("\"" + half + "\"").getBytes(StandardCharsets.US_ASCII), 0, false))
                    .as(half)
                    .isNull();
        }
        assertThat(decoded("\"\\ud800\\u0041\\ude00\\ud83d\"", 0, true)).isEqualTo("\ufffdA\ufffd\ufffd");
    }

    private static String decoded(String json, int quote, boolean replacing) {
        byte[] text = JsonString.utf8(json.getBytes(StandardCharsets.UTF_8), quote, replacing);
        return text == null ? "none" : new String(text, StandardCharsets.UTF_8);
    }
}
