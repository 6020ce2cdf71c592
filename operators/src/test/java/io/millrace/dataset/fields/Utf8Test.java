package io.millrace.dataset.fields;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Utf8Test {
    /** The third column is bytes.decode("utf-8", "replace").encode().hex() in Python 3.12. */
    @ParameterizedTest
    @CsvSource({
        "61, -1, 61",
        "61ff62, 1, 61efbfbd62",
        "c080, 0, efbfbdefbfbd",
        "e080af, 0, efbfbdefbfbdefbfbd",
        "eda080, 0, efbfbdefbfbdefbfbd",
        "f4908080, 0, efbfbdefbfbdefbfbdefbfbd",
        "e4bd, 0, efbfbd",
        "f09f98, 0, efbfbd",
        "f09f9861, 0, efbfbd61",
        "6161616161616161e4bd80c3, 11, 6161616161616161e4bd80efbfbd"
    })
    void sequencesAreReplacedAsInPython(String bytes, int bad, String replaced) {
        byte[] text = HexFormat.of().parseHex(bytes);
        assertThat(Utf8.firstBad(text, 0)).isEqualTo(bad);
        assertThat(HexFormat.of().formatHex(Utf8.replaced(text))).isEqualTo(replaced);
    }

    @Property
    void bytesAreUtf8WhereTheJdkDecodesThem(@ForAll @Size(max = 40) byte[] bytes) {
        boolean decoded = true;
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
        } catch (CharacterCodingException e) {
            decoded = false;
        }
        assertThat(Utf8.firstBad(bytes, 0) < 0).isEqualTo(decoded);
        assertThat(Utf8.firstBad(Utf8.replaced(bytes), 0)).isEqualTo(-1);
    }

    @Property
    void textStaysAsItIs(@ForAll String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertThat(Utf8.firstBad(bytes, 0)).isEqualTo(-1);
        assertThat(Utf8.replaced(bytes)).isSameAs(bytes);
    }
}
