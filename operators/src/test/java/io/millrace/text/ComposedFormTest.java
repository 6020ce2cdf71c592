package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.text.Normalizer;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import org.junit.jupiter.api.Test;

class ComposedFormTest {
    @Test
    void normalFormsAreTheLibrarys() throws Exception {
        Map<String, String> vectors = new ObjectMapper()
                .readValue(Files.readAllBytes(LibraryVectors.file("nfc.json")), new TypeReference<>() {});
        assertThat(vectors).hasSizeGreaterThan(1000);
        vectors.forEach((text, expected) -> {
            byte[] around = ("\u0301" + text + "\u0301").getBytes(StandardCharsets.UTF_8);
            byte[] changed = ComposedForm.changed(around, 2, around.length - 2);
            assertThat(changed == null ? text : new String(changed, StandardCharsets.UTF_8))
                    .as(text)
                    .isEqualTo(expected);
            assertThat(changed == null).as(text).isEqualTo(text.equals(expected));
        });
    }

    @Property(tries = 300)
    void charactersOfUnicode9HaveJavasNormalForm(@ForAll @CharRange(from = ' ', to = '\u036f') String text) {
        assertThat(ComposedForm.of(text)).isEqualTo(Normalizer.normalize(text, Normalizer.Form.NFC));
    }

    @Property(tries = 300)
    void normalFormDoesNotChangeAgain(@ForAll String text) {
        assertThat(ComposedForm.of(ComposedForm.of(text))).isEqualTo(ComposedForm.of(text));
    }
}
