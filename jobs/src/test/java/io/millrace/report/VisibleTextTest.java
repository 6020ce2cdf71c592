package io.millrace.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.sample.VisibleText;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VisibleTextTest {
    private static final String HOSTILE =
            "cat\u001b]0;title\u0007\r\u0000\u007f\u009b2J\u202egnp.\u2066x\u2069\u200f\u061c\u2028";
    private static final String VISIBLE =
            "cat\\u001b]0;title\\u0007\\u000d\\u0000\\u007f\\u009b2J\\u202egnp.\\u2066x\\u2069"
                    + "\\u200f\\u061c\\u2028";

    @Test
    void controlCharactersAndMarksOfDirectionAreEscapedAndAllOtherTextStays() {
        assertThat(VisibleText.of(HOSTILE)).isEqualTo(VISIBLE);
        String usual = "a\tb\nGrüße \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \ud83d\ude00 █ \\u0041";
        assertThat(VisibleText.of(usual)).isEqualTo(usual);
        assertThat(VisibleText.line(usual)).isEqualTo(usual.replace("\t", "\\t").replace("\n", "\\n"));
        assertThat(VisibleText.line(HOSTILE)).isEqualTo(VISIBLE);
    }

    @Test
    void streamEscapesTextThatArrivesByteByByte() {
        ByteArrayOutputStream raw = new ByteArrayOutputStream();
        try (PrintStream out = TerminalOutput.escaping(raw, UTF_8)) {
            for (byte one : (HOSTILE + "ü\ud83d\ude00\n").getBytes(UTF_8)) {
                out.write(one);
            }
            out.printf("%s%n", HOSTILE);
            out.print('\u001b');
            out.print("x".repeat(100_000));
        }
        assertThat(raw.toString(UTF_8))
                .isEqualTo(VISIBLE + "ü\ud83d\ude00\n" + VISIBLE + "\n\\u001b" + "x".repeat(100_000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"US-ASCII", "ISO-8859-1", "windows-1252", "UTF-8", "UTF-16", "Shift_JIS"})
    void noCharacterSetLetsAControlCharacterThrough(String name) {
        Charset charset = Charset.forName(name);
        ByteArrayOutputStream raw = new ByteArrayOutputStream();
        try (PrintStream out = TerminalOutput.escaping(raw, charset)) {
            out.print(HOSTILE);
        }
        assertThat(raw.toString(charset)).contains("cat\\u001b]0;title").matches("[\\x20-\\x7e]*");
    }

    @Test
    void jsonKeepsItsMeaning() throws Exception {
        ObjectMapper json = new ObjectMapper();
        Map<String, String> value = Map.of("file", HOSTILE);
        String line = VisibleText.of(json.writeValueAsString(value));
        assertThat(line).matches("[\\x20-\\x7e]*");
        assertThat(json.readTree(line).get("file").asText()).isEqualTo(HOSTILE);
    }
}
