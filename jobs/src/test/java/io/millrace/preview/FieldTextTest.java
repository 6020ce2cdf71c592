package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldTextTest {
    @ParameterizedTest
    @CsvSource({
        "UINT8, FE 01, 254 1",
        "INT8, FE 01, -2 1",
        "BOOL, 00 01, false true",
        "INT16, FF FF 02 00, -1 2",
        "UINT16, FF FF 02 00, 65535 2",
        "INT32, FF FF FF FF, -1",
        "INT64, FE FF FF FF FF FF FF FF, -2",
        "FLOAT16, 00 3E, 1.5",
        "BFLOAT16, C0 3F, 1.5",
        "FLOAT32, 00 00 C0 3F, 1.5",
        "FLOAT64, 00 00 00 00 00 00 F8 BF, -1.5"
    })
    void numbersAreThoseOfTheirType(DType dtype, String bytes, String shown) {
        byte[] data = HexFormat.ofDelimiter(" ").parseHex(bytes);

        assertThat(FieldText.values(Field.of(dtype, new int[] {data.length / dtype.bytes()}, data)))
                .isEqualTo(shown);
    }

    @Test
    void longFieldsShowTheirBeginning() {
        ByteBuffer values = ByteBuffer.allocate(4000).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 1000; i++) {
            values.putInt(i);
        }
        Field numbers = Field.of(DType.INT32, new int[] {10, 100}, values.array());

        assertThat(FieldText.values(numbers)).isEqualTo("0 1 2 3 4 5 6 7 ... (1,000 values)");
        assertThat(FieldText.shape(numbers)).isEqualTo("int32 [10, 100]");
        assertThat(FieldText.values(Field.text("x".repeat(300).getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("\"" + "x".repeat(200) + "\" ...");
        assertThat(FieldText.values(Field.text("\ud83d\ude00".repeat(201).getBytes(StandardCharsets.UTF_8))))
                .as("no half of a character")
                .isEqualTo("\"" + "\ud83d\ude00".repeat(200) + "\" ...");
        assertThat(FieldText.values(Field.text("\u00e4".repeat(200).getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("\"" + "\u00e4".repeat(200) + "\"");
    }

    @Test
    void textsAreShownWithoutCharactersThatATerminalObeysAndOtherBytesAsNumbers() {
        assertThat(FieldText.values(Field.text("gr\u00fcn\n\u001b[2J".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("\"gr\u00fcn\\n\\u001b[2J\"");
        assertThat(FieldText.values(Field.text(new byte[] {(byte) 0xFF, 3}))).isEqualTo("255 3");
    }

    @Test
    void linesNameTheFieldsOfASampleOrOfTheFirstDocumentOfAPack() {
        Sample document = new Sample(7, "texts.jsonl:7", -1)
                .put("text", Field.text("fox".getBytes(StandardCharsets.UTF_8)))
                .put("page", Field.of(DType.UINT8, new int[] {1}, new byte[] {9}));
        assertThat(FieldText.lines(document)).containsExactly("text: text [3] \"fox\"", "page: uint8 [1] 9");

        Sample pack = new Sample(0, "pack 0", -1).ofParts(List.of(new Part(document, 0, 3), new Part(document, 3, 5)));
        assertThat(FieldText.lines(pack))
                .containsExactly("2 documents, of which the first:", "text: text [3] \"fox\"", "page: uint8 [1] 9");
    }

    @Test
    void picturesHaveAHashAndNoText() {
        Field picture = Field.image(1, 1, 3, "abc".getBytes(StandardCharsets.US_ASCII));

        assertThat(picture.kind()).isEqualTo(FieldKind.IMAGE);
        assertThat(FieldText.values(picture)).isEmpty();
        assertThat(FieldText.sha256(picture))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
