package io.millrace.dataset.fields;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FieldValuesTest {
    private static final ValuePlace PLACE = new ValuePlace("shard.tar/0001.jpg", 512);
    private static final byte[] JPEG = {(byte) 0xFF, (byte) 0xD8, (byte) 0xFF, (byte) 0xE0, 0};
    private static final byte[] NO_TEXT = {(byte) 0xC3, 0x28};

    @Test
    void bytesThatBeginLikeAnImageAreEncodedImages() throws BadSampleException {
        for (byte[] image : List.of(
                JPEG,
                new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'},
                "GIF89a..".getBytes(StandardCharsets.US_ASCII),
                "RIFF....WEBPVP8 ".getBytes(StandardCharsets.US_ASCII),
                "P6\n2 2\n255\n".getBytes(StandardCharsets.US_ASCII),
                "P3\r\n2  2 255 ".getBytes(StandardCharsets.US_ASCII),
                "P1 # a comment\n".getBytes(StandardCharsets.US_ASCII),
                new byte[] {'I', 'I', 42, 0, 8})) {
            Field field = FieldValues.bytes(source("image", As.AUTO), image, PLACE);
            assertThat(field.kind()).isEqualTo(FieldKind.IMAGE);
            assertThat(field.dtype()).isEqualTo(DType.ENCODED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "BM is how this text begins, with many letters",
                "P6",
                "P5 is alive",
                "P4 22 fields",
                "RIFF....AVI "
            })
    void otherBytesAreRagged(String text) throws BadSampleException {
        Field field = FieldValues.bytes(source("x", As.AUTO), text.getBytes(StandardCharsets.UTF_8), PLACE);

        assertThat(field.kind()).isEqualTo(FieldKind.RAGGED);
        assertThat(field.dtype()).isEqualTo(DType.UINT8);
    }

    @Test
    void soundsStayEncoded() throws BadSampleException {
        byte[] wav = "RIFF....WAVE".getBytes(StandardCharsets.US_ASCII);
        Field clip = FieldValues.bytes(source("clip", As.AUTO), wav, PLACE);
        assertThat(clip.dtype()).isEqualTo(DType.ENCODED);
        assertThat(clip.kind()).isEqualTo(FieldKind.TENSOR);
        assertThat(FieldValues.bytes(source("clip", As.RAGGED), wav, PLACE).kind())
                .isEqualTo(FieldKind.RAGGED);
        for (String start : List.of("RIFX", "RF64", "BW64")) {
            byte[] other = (start + "....WAVE").getBytes(StandardCharsets.US_ASCII);
            assertThat(FieldValues.bytes(source("clip", As.AUTO), other, PLACE).dtype())
                    .isEqualTo(DType.ENCODED);
        }
    }

    @Test
    void bytesBecomeTheKindThatThePipelineFileSets() throws BadSampleException {
        assertThat(FieldValues.bytes(source("m", As.MASK), JPEG, PLACE)).hasToString("mask ENCODED[5]");
        assertThat(FieldValues.bytes(source("m", As.IMAGE), NO_TEXT, PLACE)).hasToString("ENCODED[2]");
        assertThat(FieldValues.bytes(source("m", As.TENSOR), JPEG, PLACE).kind())
                .isEqualTo(FieldKind.TENSOR);
        assertThatThrownBy(() -> FieldValues.bytes(source("m", As.TEXT), NO_TEXT, PLACE))
                .isInstanceOfSatisfying(BadSampleException.class, e -> {
                    assertThat(e.file()).isEqualTo("shard.tar/0001.jpg");
                    assertThat(e.offset()).isEqualTo(512);
                    assertThat(e.reason()).isEqualTo("expected text in UTF-8 as 'stored', found other bytes");
                });
        assertThatThrownBy(() -> FieldValues.bytes(source("m", As.IMAGE), new byte[0], PLACE))
                .hasMessage("expected an image as 'stored', found 0 bytes");
    }

    @Test
    void numbersAreTensorsExceptForAPictureNamedImage() throws BadSampleException {
        int[] shape = {2, 1, 3};
        assertThat(numbers("image", As.AUTO, DType.UINT8, shape).kind()).isEqualTo(FieldKind.IMAGE);
        assertThat(numbers("other", As.AUTO, DType.UINT8, shape).kind()).isEqualTo(FieldKind.TENSOR);
        assertThat(numbers("image", As.AUTO, DType.FLOAT32, shape).kind()).isEqualTo(FieldKind.TENSOR);
        assertThat(numbers("x", As.IMAGE, DType.UINT8, 4, 5).shape()).containsExactly(4, 5, 1);
        assertThat(numbers("x", As.MASK, DType.INT32, 4, 5)).hasToString("mask INT32[4, 5, 1]");
        assertThat(numbers("x", As.RAGGED, DType.FLOAT32, 0, 4).kind()).isEqualTo(FieldKind.RAGGED);
        assertThatThrownBy(() -> numbers("x", As.IMAGE, DType.FLOAT32, shape))
                .hasMessage("expected an image (encoded, or uint8 [height, width] or [height, width, 1 or 3]) as"
                        + " 'stored', found float32 [2, 1, 3]");
        assertThatThrownBy(() -> numbers("x", As.RAGGED, DType.FLOAT32))
                .hasMessage("expected numbers with at least one extent as 'stored', found float32 []");
    }

    @ParameterizedTest
    @CsvSource({"7, 7", "' 12\n', 12", "cat, 0", "dog, 1"})
    void labelIsANumberOrTheNameOfAClass(String text, long expected) throws BadSampleException {
        List<String> classes = List.of("cat", "dog", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12");

        assertThat(Labels.of(classes).of(text.getBytes(StandardCharsets.UTF_8), PLACE))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"2.0, 2", "-3.000, -3", "1e3, 1000", "9223372036854775807, 9223372036854775807", "+7, 7", ".0, 0"})
    void labelIsANumberWithoutAFraction(String text, long expected) throws BadSampleException {
        assertThat(Labels.of(List.of()).of(text.getBytes(StandardCharsets.UTF_8), PLACE))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.5", "1e-1", "9223372036854775808", "9007199254740992.0", "nan", "0x1", "1_0", ""})
    void textThatIsNoWholeNumberIsABadLabel(String text) {
        assertThatThrownBy(() -> Labels.of(List.of()).of(text.getBytes(StandardCharsets.UTF_8), PLACE))
                .hasMessageStartingWith("expected a whole number as label, found '" + text + "'");
    }

    @Test
    void textThatIsTheNameOfAClassIsThatClass() throws BadSampleException {
        Labels labels = Labels.of(List.of("10", "1", " 2", "2"));

        for (String[] expected :
                new String[][] {{"1", "1"}, {"10", "0"}, {" 2", "2"}, {"2", "3"}, {"2 ", "3"}, {"3", "3"}}) {
            assertThat(labels.of(expected[0].getBytes(StandardCharsets.UTF_8), PLACE))
                    .isEqualTo(Long.parseLong(expected[1]));
        }
        assertThat(Labels.ofNumbers(List.of("1", "0")).of("1".getBytes(StandardCharsets.UTF_8), PLACE))
                .isEqualTo(1);
    }

    @Test
    void floatsOf16BitsAreLabels() throws BadSampleException {
        Labels labels = Labels.of(List.of());
        assertThat(labels.of(DType.FLOAT16, new int[] {}, new byte[] {0, 0x42}, PLACE))
                .isEqualTo(3);
        assertThat(labels.of(DType.BFLOAT16, new int[] {1}, new byte[] {0x40, 0x40}, PLACE))
                .isEqualTo(3);
        assertThatThrownBy(() -> labels.of(DType.FLOAT16, new int[] {}, new byte[] {0, 0x7C}, PLACE))
                .hasMessage("expected a whole number as label, found Infinity");
    }

    @Test
    void badLabelIsReportedWithTheValueFound() {
        Labels labels = Labels.of(List.of());
        assertThatThrownBy(() -> labels.of("cat".getBytes(StandardCharsets.UTF_8), PLACE))
                .hasMessage(
                        "expected a whole number as label, found 'cat'; for names set dataset.classes: [cat, ...], all of"
                                + " them in the order of their labels");
        assertThatThrownBy(() -> labels.of(DType.UINT8, new int[] {2}, new byte[2], PLACE))
                .hasMessageStartingWith("expected one number as label, found uint8 [2]");
        assertThatThrownBy(() -> labels.of(DType.FLOAT32, new int[] {}, new byte[] {0, 0, 0, 0x3F}, PLACE))
                .hasMessage("expected a whole number as label, found 0.5");
        assertThatThrownBy(() -> Labels.of(List.of("a", "b")).of(2, PLACE))
                .hasMessage("expected a label of 0 to 1, found 2");
    }

    @Test
    void nameWithoutASourceIsReadFromTheFormatsDefaultSource() {
        List<FieldSource> defaults =
                List.of(new FieldSource("image", "jpg;png", As.AUTO), new FieldSource("label", "cls", As.AUTO));

        FieldSelection own = FieldSelection.of(OptionValues.none(), defaults);
        assertThat(own.fields()).containsExactly(defaults.get(0));
        assertThat(own.label()).contains(defaults.get(1));
        assertThat(own.chosen()).isFalse();

        FieldSelection chosen = FieldSelection.of(fields(List.of("image", "txt")), defaults);
        assertThat(chosen.fields()).containsExactly(defaults.get(0), new FieldSource("txt", "txt", As.AUTO));
        assertThat(chosen.label()).isEmpty();
        assertThat(chosen.chosen()).isTrue();

        FieldSelection mapped =
                FieldSelection.of(fields(Map.of("image", Map.of("as", "mask"), "label", "json")), defaults);
        assertThat(mapped.fields()).containsExactly(new FieldSource("image", "jpg;png", As.MASK));
        assertThat(mapped.label()).contains(new FieldSource("label", "json", As.AUTO));
    }

    private static OptionValues fields(Object value) {
        return OptionValues.of(List.of(FieldSources.FIELDS), Map.of("fields", value));
    }

    private static Field numbers(String name, As as, DType dtype, int... shape) throws BadSampleException {
        int count = 1;
        for (int extent : shape) {
            count *= extent;
        }
        return FieldValues.numbers(source(name, as), dtype, shape, new byte[count * dtype.bytes()], PLACE);
    }

    private static FieldSource source(String name, As as) {
        return new FieldSource(name, "stored", as);
    }
}
