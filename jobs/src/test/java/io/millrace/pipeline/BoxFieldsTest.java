package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.transform.TransformSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoxFieldsTest {
    private static final List<TransformSpec> MOVING = List.of(
            TransformSpec.of("decode", Map.of()),
            TransformSpec.of("RandomApply", Map.of("transforms", List.of("RandomHorizontalFlip"))));

    private static Field numbers(int... shape) {
        int count = 1;
        for (int extent : shape) {
            count *= extent;
        }
        return Field.of(DType.INT64, shape, new byte[8 * count]).as(FieldKind.RAGGED);
    }

    private static List<String> remarks(String name, Field field, List<TransformSpec> transforms) {
        return BoxFields.remarks(new Sample(0, "0", 0).put(name, field), transforms);
    }

    @ParameterizedTest
    @ValueSource(strings = {"boxes", "bbox", "box", "gt_bboxes", "BBoxes", "bounding_box", "objects/bbox"})
    void undeclaredBoxesAreToldWithTheLineToAdd(String name) {
        assertThat(remarks(name, numbers(3, 4), MOVING))
                .containsExactly(
                        "'" + name + "' int64 [?, 4] could be boxes, which RandomApply would leave where they are. If"
                                + " they are boxes, add to fields of the dataset: " + name
                                + ": {as: {boxes: xyxy}}, or xywh or cxcywh in place of xyxy");
    }

    @Test
    void otherFieldsAndPipelinesThatMoveNothingGetNoRemark() {
        assertThat(remarks("boxes", numbers(3, 5), MOVING)).isEmpty();
        assertThat(remarks("boxes", numbers(4), MOVING)).isEmpty();
        assertThat(remarks("xbox", numbers(3, 4), MOVING)).isEmpty();
        assertThat(remarks("mailboxes", numbers(3, 4), MOVING)).isEmpty();
        assertThat(remarks("boxes", numbers(3, 4), List.of(TransformSpec.of("ColorJitter", Map.of()))))
                .isEmpty();
        Field declared = Field.of(DType.FLOAT32, new int[] {0, 4}, new byte[0])
                .as(FieldKind.RAGGED)
                .annotated(new Annotation(Annotation.Form.XYXY, false, null));
        assertThat(remarks("boxes", declared, MOVING)).isEmpty();
    }
}
