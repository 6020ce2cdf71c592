package io.millrace.transform.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Numbers;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MaskedTokensTest {
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"UINT8", "INT8", "INT16", "UINT16", "INT32", "INT64"})
    void idsOfEachTypeOfWholeNumbersAreInt32(DType stored) throws BadSampleException {
        MaskedTokens tokens = MaskedTokens.of(document().put("tokens", list(stored, 0, 7, 127)));

        assertThat(ints(tokens)).containsExactly(0, 7, 127);
        assertThat(tokens.count()).isEqualTo(3);
        assertThat(tokens.mask()).isNull();
    }

    @Test
    void largestIdsOfEachWidthStayPositive() throws BadSampleException {
        assertThat(ints(MaskedTokens.of(document().put("tokens", list(DType.UINT16, 0xffff)))))
                .containsExactly(0xffff);
        assertThat(ints(MaskedTokens.of(document().put("tokens", list(DType.INT64, Integer.MAX_VALUE)))))
                .containsExactly(Integer.MAX_VALUE);
    }

    @Test
    void numberThatIsNoIdMakesTheDocumentBad() {
        assertThatThrownBy(() -> MaskedTokens.of(document().put("tokens", list(DType.INT32, 5, -100, -1))))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("'tokens' has -100 at index 1, expected an id, which is at least 0");
        assertThatThrownBy(() -> MaskedTokens.of(document().put("tokens", list(DType.INT64, 5, 1L << 31))))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("'tokens' has 2147483648 at index 1, expected an id that int32 can hold");
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"BOOL", "UINT8", "INT8", "INT32", "INT64"})
    void maskOfEachTypeCounts(DType stored) throws BadSampleException {
        Sample document = document().put("tokens", list(DType.INT32, 1, 2, 3)).put("label_mask", list(stored, 0, 1, 0));

        assertThat(mask(document)).containsExactly(0, 1, 0);
    }

    @Test
    void labelsOfHuggingFaceAreTheMaskUnlessThereIsOne() throws BadSampleException {
        Sample document =
                document().put("tokens", list(DType.INT32, 11, 12, 13)).put("labels", list(DType.INT64, -100, 12, 13));
        assertThat(mask(document)).containsExactly(0, 1, 1);

        document.put("label_mask", list(DType.UINT8, 1, 0, 0));
        assertThat(mask(document)).containsExactly(1, 0, 0);
    }

    @Test
    void labelsThatAreOtherIdsMakeTheDocumentBad() {
        Sample shifted = document().put("tokens", list(DType.INT32, 11, 12)).put("labels", list(DType.INT64, 12, -100));
        assertThatThrownBy(() -> MaskedTokens.of(shifted))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("'labels' has 12 at index 0, expected the id 11 of 'tokens', or -100");
    }

    @Test
    void maskOfAnotherLengthMakesTheDocumentBad() {
        for (String name : new String[] {"label_mask", "labels"}) {
            Sample document =
                    document().put("tokens", list(DType.INT32, 1, 2, 3)).put(name, list(DType.INT64, 1, 2));
            assertThatThrownBy(() -> MaskedTokens.of(document))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining(
                            "'" + name + "' has 2 values, expected one for each of the 3 values of 'tokens'");
        }
    }

    @Test
    void otherFieldsAreMistakesOfThePipeline() {
        assertMistake(Field.text("words".getBytes(StandardCharsets.UTF_8)), "found a text or a file in a.parquet");
        assertMistake(list(DType.INT32, 1, 2, 3, 4).shaped(new int[] {2, 2}), "as a list of whole numbers");
        assertMistake(Field.of(DType.FLOAT32, new int[] {1}, new byte[4]), "as a list of whole numbers");
        assertThatThrownBy(() -> MaskedTokens.of(document().put("input_ids", list(DType.INT32, 1))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("expected the field 'tokens' in each document, found [input_ids] in a.parquet")
                .hasMessageContaining("fields: { tokens: NAME }");
    }

    private static void assertMistake(Field tokens, String message) {
        assertThatThrownBy(() -> MaskedTokens.of(document().put("tokens", tokens)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(message);
    }

    private static Sample document() {
        return new Sample(0, "a.parquet", 0);
    }

    private static Field list(DType dtype, long... values) {
        ByteBuffer longs = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        longs.asLongBuffer().put(values);
        byte[] bytes = new byte[values.length * dtype.bytes()];
        ByteBuffer result = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(Numbers.convert(longs, DType.INT64, result, dtype, values.length, Numbers.Policy.EXACT))
                .isEqualTo(-1);
        return Field.of(dtype, new int[] {values.length}, bytes).as(FieldKind.RAGGED);
    }

    private static byte[] mask(Sample document) throws BadSampleException {
        return Optional.ofNullable(MaskedTokens.of(document).mask())
                .orElseThrow()
                .array();
    }

    private static int[] ints(MaskedTokens tokens) {
        return IntStream.range(0, tokens.count())
                .map(i -> tokens.ids().getInt(i * Integer.BYTES))
                .toArray();
    }
}
