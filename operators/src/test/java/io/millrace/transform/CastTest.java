package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CastTest {
    static List<Row> vectors() {
        return GeometryVectors.table("cast.csv");
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void numbersThatFitAreConvertedAsByPyTorch(Row row) throws Exception {
        byte[] values = HexFormat.of().parseHex(row.text("values"));
        DType from = DType.valueOf(row.text("from").toUpperCase(Locale.ROOT));
        Field field = Field.of(from, new int[] {values.length / from.bytes()}, values);
        Field cast = cast(row.text("to"), field);
        assertThat(cast.dtype()).isEqualTo(DType.valueOf(row.text("to").toUpperCase(Locale.ROOT)));
        assertThat(HexFormat.of().formatHex(cast.data())).isEqualTo(row.text("cast"));
    }

    @ParameterizedTest
    @CsvSource({
        "256.7,uint8,256.7",
        "-1,uint8,-1.0",
        "-129,int8,-129.0",
        "128,int8,128.0",
        "32768,int16,32768.0",
        "65536,uint16,65536.0",
        "2147483648,int32,2.147483648E9",
        "9223372036854775808,int64,9.223372036854776E18",
        "NaN,int32,NaN",
        "Infinity,uint8,Infinity",
        "65520,float16,65520.0",
        "1e39,float32,1.0E39"
    })
    void numberThatDoesNotFitMakesABadSampleWithItsIndex(double value, String dtype, String found) {
        ByteBuffer bytes =
                ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putDouble(8, value);
        Field field = Field.of(DType.FLOAT64, new int[] {2}, bytes.array());
        assertThatThrownBy(() -> cast(dtype, field))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("Cast expected numbers that fit in 'values', found " + found
                        + " at index 1, which " + dtype + " cannot hold");
    }

    private static Field cast(String dtype, Field field) throws Exception {
        return TransformFixture.of("Cast", Map.of("field", "values", "dtype", dtype))
                .apply(Map.of("values", field))
                .field("values");
    }

    @Test
    void imagesOfOtherTypesThanBytesBecomeTensorsAndOtherKindsStay() throws Exception {
        Sample sample = TransformFixture.of("Cast", Map.of("dtype", "float32"))
                .apply(Map.of("image", TransformFixture.noise(3, 4, 3)));
        assertThat(sample.image().kind()).isEqualTo(FieldKind.TENSOR);
        assertThat(sample.image().shape()).containsExactly(3, 4, 3);
        assertThat(TransformFixture.of("Cast", Map.of("dtype", "uint8"))
                        .apply(Map.of("image", TransformFixture.noise(3, 4, 3)))
                        .image()
                        .kind())
                .isEqualTo(FieldKind.IMAGE);
        Field bytes = Field.text(new byte[] {65, 66}).as(FieldKind.RAGGED);
        assertThat(cast("int64", bytes).kind()).isEqualTo(FieldKind.RAGGED);
    }

    @Test
    void textIsNoNumberAlsoIfItIsWrittenInDigits() {
        Field digits = Field.text("1.5".getBytes(StandardCharsets.UTF_8));
        String expected =
                " works on numbers, but 'values' of photos/0.jpg is a text: 'tokenize' makes numbers of it, and"
                        + " 'as: ragged' in the fields of the dataset reads its bytes";
        assertThatThrownBy(() -> cast("float32", digits))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Cast" + expected);
        assertThatThrownBy(() -> TransformFixture.of("ToFloat", Map.of("field", "values"))
                        .apply(Map.of("values", digits)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("ToFloat" + expected);
    }

    @Test
    void encodedImageAndMissingFieldAreFaultsOfThePipeline() {
        assertThatThrownBy(() -> cast("float32", Field.encoded(new byte[] {1})))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'decode' is missing before Cast");
        assertThatThrownBy(() -> TransformFixture.of("Cast", Map.of("dtype", "int8", "field", "boxes"))
                        .apply(TransformFixture.noise(2, 2, 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no field 'boxes'");
    }

    @Test
    void unknownTypesAreRefused() {
        for (String dtype : List.of("encoded", "float", "FLOAT32")) {
            assertThatThrownBy(() -> TransformFixture.of("Cast", Map.of("dtype", dtype)))
                    .hasMessageStartingWith("'dtype': expected one of uint8 | float32 | int8 |");
        }
    }
}
