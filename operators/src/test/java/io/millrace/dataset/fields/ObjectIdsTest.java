package io.millrace.dataset.fields;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests with pictures of ids whose masks torch has made, see src/test/python/object_vectors.py. */
class ObjectIdsTest {
    private static final ValuePlace PLACE = new ValuePlace("a.npy", -1);

    static List<Row> rows() {
        return ImageVectors.tableAt("/vectors/transform/objects/ids.csv");
    }

    private static Annotation ids(int least, int most) {
        return new Annotation(Form.MASKS, false, "boxes").withIds(new Annotation.Ids(least, most));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void eachIdIsAMaskInTheOrderOfTheIds(Row row) throws Exception {
        double[] numbers = row.reals("ids");
        ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (double number : numbers) {
            bytes.putInt((int) number);
        }
        int[] shape = {row.number("height"), row.number("width")};
        Field masks = ObjectIds.masks(
                Field.of(DType.INT32, shape, bytes.array()),
                ids(row.number("least"), row.number("largest")),
                "ids",
                PLACE);
        StringBuilder bits = new StringBuilder();
        for (byte bit : masks.data()) {
            bits.append(bit);
        }
        assertThat(masks.dtype()).isEqualTo(DType.BOOL);
        assertThat(masks.kind()).isEqualTo(FieldKind.RAGGED);
        assertThat(masks.shape()).containsExactly(row.number("objects"), shape[0], shape[1]);
        assertThat(bits.toString()).isEqualTo(row.text("masks"));
        assertThat(masks.annotation()).isEqualTo(new Annotation(Form.MASKS, false, "boxes"));
    }

    @Test
    void otherArraysAreBadSamples() {
        for (Field other : List.of(
                Field.of(DType.FLOAT32, new int[] {1, 1}, new byte[4]),
                Field.of(DType.UINT8, new int[] {4}, new byte[4]),
                Field.of(DType.UINT8, new int[] {1, 1, 3}, new byte[3]))) {
            assertThatThrownBy(() -> ObjectIds.masks(other, ids(1, 9), "ids", PLACE))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining(
                            "expected the ids of objects as 'ids', a PNG with a palette or in gray, or whole numbers"
                                    + " [height, width], found " + other.dtype().word());
        }
    }

    @Test
    void moreMasksThanTheHeapHoldsAreRefused() {
        int pixels = 1 << 16;
        ByteBuffer all = ByteBuffer.allocate(pixels * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < pixels; i++) {
            all.putInt(i);
        }
        Field different = Field.of(DType.INT32, new int[] {256, 256}, all.array());
        assertThatThrownBy(() -> ObjectIds.masks(different, ids(1, Integer.MAX_VALUE), "ids", PLACE))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("expected masks of at most")
                .hasMessageContaining("a quarter of the heap, found 4294901760");
    }
}
