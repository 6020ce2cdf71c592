package io.millrace.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FieldShapeTest {
    @Test
    void anExtentThatDiffersBetweenSamplesIsAQuestionMark() {
        Map<String, FieldShape> known = new LinkedHashMap<>();
        FieldShape.merge(known, sample(4, 3));
        FieldShape.merge(known, sample(5, 3));

        assertThat(known.get("image")).hasToString("uint8 [?, 3, 1]");
        assertThat(known.get("boxes")).hasToString("float32 [?, 4]");
        assertThat(known.get("value")).hasToString("float64 []");
    }

    @Test
    void theFirstExtentOfARaggedFieldVariesAfterOneSample() {
        Map<String, FieldShape> known = new LinkedHashMap<>();
        FieldShape.merge(known, sample(4, 3));

        assertThat(known.get("boxes")).hasToString("float32 [?, 4]");
        assertThat(known.get("text")).hasToString("text [?]");
        assertThat(known.get("image")).hasToString("uint8 [4, 3, 1]");
    }

    private static Sample sample(int height, int boxes) {
        return new Sample(0, "a", 0)
                .put("image", Field.image(height, 3, 1, new byte[3 * height]))
                .put(
                        "boxes",
                        Field.of(DType.FLOAT32, new int[] {boxes, 4}, new byte[16 * boxes])
                                .as(FieldKind.RAGGED))
                .put("text", Field.text(new byte[7]))
                .put("value", Field.of(DType.FLOAT64, new int[0], new byte[8]));
    }
}
