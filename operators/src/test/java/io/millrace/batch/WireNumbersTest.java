package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.BrainFloats;
import io.millrace.sample.DType;
import io.millrace.sample.Halves;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WireNumbersTest {
    @Property(tries = 300)
    void floatsBecomeTheNearest16BitFloatUnlessItIsInfinite(@ForAll @Size(min = 1, max = 20) List<Float> values) {
        byte[] bytes = floats(values);
        ByteBuffer halves = ByteBuffer.allocate(values.size() * 2).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer brains = ByteBuffer.allocate(values.size() * 2).order(ByteOrder.LITTLE_ENDIAN);

        int unfit = WireNumbers.convert(bytes, DType.FLOAT32, halves.array(), DType.FLOAT16);
        assertThat(WireNumbers.convert(bytes, DType.FLOAT32, brains.array(), DType.BFLOAT16))
                .isEqualTo(firstOver(values, 3.3961775e38f));

        assertThat(unfit).isEqualTo(firstOver(values, 65520));
        for (int i = 0; i < (unfit < 0 ? values.size() : unfit); i++) {
            float value = values.get(i);
            float half = Halves.toFloat(halves.getShort(i * 2));
            assertThat(Math.abs(half - value)).isLessThanOrEqualTo(Math.max(Math.abs(value) * 0x1p-11f, 0x1p-25f));
        }
        for (int i = 0; i < values.size() && Math.abs(values.get(i)) < 3e38f; i++) {
            float brain = BrainFloats.toFloat(brains.getShort(i * 2));
            assertThat(Math.abs(brain - values.get(i))).isLessThanOrEqualTo(Math.abs(values.get(i)) * 0x1p-8f + 1e-40f);
        }
    }

    private static int firstOver(List<Float> values, float limit) {
        for (int i = 0; i < values.size(); i++) {
            if (Math.abs(values.get(i)) >= limit) {
                return i;
            }
        }
        return -1;
    }

    @Property(tries = 300)
    void wholeNumbersThatFitStayEqual(@ForAll long value) {
        byte[] bytes = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
        for (DType to : List.of(DType.UINT8, DType.INT8, DType.UINT16, DType.INT16, DType.INT32, DType.FLOAT32)) {
            byte[] narrow = new byte[to.bytes()];
            byte[] back = new byte[8];
            if (WireNumbers.convert(bytes, DType.INT64, narrow, to) < 0) {
                assertThat(WireNumbers.convert(narrow, to, back, DType.INT64)).isEqualTo(-1);
                assertThat(back).as("%s by way of %s", value, to).isEqualTo(bytes);
            } else {
                boolean exact = to == DType.FLOAT32 && (double) (float) value == value && Math.abs(value) <= 1L << 53;
                assertThat(exact).as("%s does not fit %s", value, to).isFalse();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT32,1.5,UINT8",
        "FLOAT32,NaN,UINT8",
        "FLOAT32,256,UINT8",
        "FLOAT32,-1,UINT8",
        "INT64,256,UINT8",
        "INT64,-1,UINT8",
        "INT64,-129,INT8",
        "INT64,65536,UINT16",
        "INT64,2147483648,INT32",
        "INT64,16777217,FLOAT32",
        "INT64,2049,FLOAT16",
        "INT64,257,BFLOAT16",
        "FLOAT64,1e39,FLOAT32",
        "FLOAT64,65520,FLOAT16",
        "FLOAT32,-65520,FLOAT16",
        "FLOAT32,3.4e38,BFLOAT16",
        "FLOAT64,2,BOOL",
        "INT64,9223372036854775807,FLOAT32"
    })
    void numberThatDoesNotFitIsFoundAtItsIndex(DType from, String value, DType to) {
        byte[] values = two(from, value);
        assertThat(WireNumbers.convert(values, from, new byte[2 * to.bytes()], to))
                .isEqualTo(1);
        assertThat(WireNumbers.describe(values, from, 1))
                .isEqualTo(from.isFloat() ? String.valueOf(rounded(from, value)) : value);
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT32,255,UINT8",
        "FLOAT32,-0.0,INT16",
        "INT64,-128,INT8",
        "INT64,16777216,FLOAT32",
        "FLOAT64,NaN,FLOAT32",
        "FLOAT64,Infinity,FLOAT16",
        "FLOAT32,-Infinity,BFLOAT16",
        "FLOAT64,65519.99,FLOAT16",
        "INT64,256,BFLOAT16",
        "FLOAT64,1,BOOL",
        "FLOAT64,-Infinity,FLOAT32"
    })
    void numbersThatFitAreConverted(DType from, String value, DType to) {
        assertThat(WireNumbers.convert(two(from, value), from, new byte[2 * to.bytes()], to))
                .isEqualTo(-1);
    }

    @Test
    void unsignedNumbersDoNotBecomeNegative() {
        byte[] wide = new byte[8];
        assertThat(WireNumbers.convert(new byte[] {(byte) 200}, DType.UINT8, wide, DType.INT64))
                .isEqualTo(-1);
        assertThat(wide[0]).isEqualTo((byte) 200);
        assertThat(wide[1]).isZero();
        assertThat(WireNumbers.convert(new byte[] {0, (byte) 0x80}, DType.UINT16, wide, DType.INT64))
                .isEqualTo(-1);
        assertThat(wide).containsExactly(0, 0x80, 0, 0, 0, 0, 0, 0);
    }

    private static double rounded(DType from, String value) {
        return from == DType.FLOAT32 ? Float.parseFloat(value) : Double.parseDouble(value);
    }

    /** Returns the two numbers 0 and {@code value}. */
    private static byte[] two(DType from, String value) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * from.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        switch (from) {
            case FLOAT32 -> bytes.putFloat(4, Float.parseFloat(value));
            case FLOAT64 -> bytes.putDouble(8, Double.parseDouble(value));
            default -> bytes.putLong(8, Long.parseLong(value));
        }
        return bytes.array();
    }

    private static byte[] floats(List<Float> values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.size() * 4).order(ByteOrder.LITTLE_ENDIAN);
        values.forEach(bytes::putFloat);
        return bytes.array();
    }
}
