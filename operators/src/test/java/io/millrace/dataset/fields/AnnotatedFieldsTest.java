package io.millrace.dataset.fields;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.image.ImageVectors;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of boxes, points and values of boxes as kinds of fields. */
class AnnotatedFieldsTest {
    private static final ValuePlace PLACE = new ValuePlace("a.parquet", 3, -1);

    private static List<FieldSource> parse(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return FieldSources.TYPE.parse(fields);
    }

    @Test
    void boxesPointsAndTheirLabelsAreDeclared() {
        assertThat(parse(
                        "boxes",
                        Map.of("from", "objects/bbox", "as", Map.of("boxes", "xywh")),
                        "centers",
                        Map.of("as", Map.of("boxes", "cxcywh", "normalized", true)),
                        "classes",
                        Map.of("labels_of", "boxes"),
                        "joints",
                        Map.of("as", "points", "labels_of", "boxes"),
                        "eyes",
                        Map.of("as", Map.of("points", "xy", "normalized", true))))
                .containsExactly(
                        new FieldSource("boxes", "objects/bbox", As.RAGGED, new Annotation(Form.XYWH, false, null)),
                        new FieldSource("centers", "centers", As.RAGGED, new Annotation(Form.CXCYWH, true, null)),
                        new FieldSource("classes", "classes", As.RAGGED, new Annotation(Form.VALUES, false, "boxes")),
                        new FieldSource("joints", "joints", As.RAGGED, new Annotation(Form.POINTS, false, "boxes")),
                        new FieldSource("eyes", "eyes", As.RAGGED, new Annotation(Form.POINTS, true, null)));
    }

    private static void refused(String message, Object... namesAndValues) {
        assertThatThrownBy(() -> parse(namesAndValues))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void otherDeclarationsAreRefused() {
        refused(
                "expected in as of field 'b' one of auto, image, mask, tensor, ragged, text, points and masks, or {boxes: xyxy, xywh"
                        + " or cxcywh, normalized: true or false}, or {points: xy, normalized: true or false, flip_pairs: [[1, 2],"
                        + " ...]}, or {masks: ids, objects: [least, largest]}, found",
                "b",
                Map.of("as", Map.of("boxes", "ltrb")));
        refused("in as of field 'b' one of auto", "b", Map.of("as", "boxes"));
        refused("in as of field 'b' one of auto", "b", Map.of("as", 3));
        refused("in as of field 'b' one of auto", "b", Map.of("as", Map.of()));
        refused("in as of field 'b' one of auto", "b", Map.of("as", Map.of("boxes", "xyxy", "points", "xy")));
        refused("in as of field 'b' one of auto", "b", Map.of("as", Map.of("boxes", "xyxy", "normalized", "yes")));
        refused("in as of field 'b' one of auto", "b", Map.of("as", Map.of("boxes", "xyxy", "shares", true)));
        refused(
                "expected in labels_of of field 'c' the name of a field of boxes, which has as: {boxes: xyxy}, {boxes: xywh}"
                        + " or {boxes: cxcywh}, found 'b'",
                "b",
                "bbox",
                "c",
                Map.of("labels_of", "b"));
        refused(
                "beside labels_of of field 'c' as: ragged, or as with points or masks, or no as",
                "b",
                Map.of("as", Map.of("boxes", "xyxy")),
                "c",
                Map.of("labels_of", "b", "as", "text"));
        refused(
                "no labels_of for field 'c', which has boxes of its own",
                "b",
                Map.of("as", Map.of("boxes", "xyxy")),
                "c",
                Map.of("labels_of", "b", "as", Map.of("boxes", "xyxy")));
        refused(
                "another name than label for boxes, points, masks and values of boxes",
                "b",
                Map.of("as", Map.of("boxes", "xyxy")),
                "label",
                Map.of("labels_of", "b"));
        refused("the keys from, as and labels_of for field 'b'", "b", Map.of("kind", "boxes"));
    }

    @Test
    void masksAndPairsOfPointsAreDeclared() {
        assertThat(parse(
                        "boxes",
                        Map.of("as", Map.of("boxes", "xywh")),
                        "masks",
                        Map.of("as", "masks", "labels_of", "boxes"),
                        "instances",
                        Map.of("from", "ids.png", "as", Map.of("masks", "ids")),
                        "some",
                        Map.of("as", Map.of("masks", "ids", "objects", List.of(1000L, 65535L)), "labels_of", "boxes"),
                        "joints",
                        Map.of("as", Map.of("points", "xy", "flip_pairs", List.of(List.of(1L, 2L), List.of(3L, 4L))))))
                .containsExactly(
                        new FieldSource("boxes", "boxes", As.RAGGED, new Annotation(Form.XYWH, false, null)),
                        new FieldSource("masks", "masks", As.RAGGED, new Annotation(Form.MASKS, false, "boxes")),
                        new FieldSource(
                                "instances",
                                "ids.png",
                                As.MASK,
                                new Annotation(Form.MASKS, false, null)
                                        .withIds(new Annotation.Ids(1, Integer.MAX_VALUE))),
                        new FieldSource(
                                "some",
                                "some",
                                As.MASK,
                                new Annotation(Form.MASKS, false, "boxes").withIds(new Annotation.Ids(1000, 65535))),
                        new FieldSource(
                                "joints",
                                "joints",
                                As.RAGGED,
                                new Annotation(Form.POINTS, false, null).withFlipPairs(List.of(1, 2, 3, 4))));
        refused("in as of field 'b' one of auto", "b", Map.of("as", Map.of("masks", "instances")));
        refused("in as of field 'b' one of auto", "b", Map.of("as", Map.of("masks", "ids", "normalized", true)));
        refused(
                "in as of field 'b' one of auto",
                "b",
                Map.of("as", Map.of("boxes", "xyxy", "flip_pairs", List.of(List.of(1L, 2L)))));
        refused(
                "expected in flip_pairs of field 'b' pairs of different numbers",
                "b",
                Map.of("as", Map.of("points", "xy", "flip_pairs", 3L)));
        for (Object range : List.of(
                List.of(0L, 9L),
                List.of(9L, 1L),
                List.of(1L),
                7L,
                List.of("1", 2L),
                List.of(1L, 1L << 31),
                List.of(1.0, 2L))) {
            refused(
                    "expected in objects of field 'b' the least and the largest id of an object, from 1 on, such as [1, 254], found",
                    "b",
                    Map.of("as", Map.of("masks", "ids", "objects", range)));
        }
    }

    @Test
    void numbersBecomeMasksAndOtherShapesAreRefused() throws Exception {
        Field masks = numbers(Form.MASKS, DType.UINT8, new int[] {2, 1, 3}, new byte[] {0, 1, (byte) 255, 0, 0, 2});
        assertThat(masks.dtype()).isEqualTo(DType.BOOL);
        assertThat(masks.kind()).isEqualTo(FieldKind.RAGGED);
        assertThat(masks.data()).containsExactly(0, 1, 1, 0, 0, 1);
        assertThat(numbers(Form.MASKS, DType.INT64, new int[] {1, 1, 1}, new byte[] {0, 0, 0, 0, 0, 0, 0, 1})
                        .data())
                .containsExactly(1);
        assertThat(numbers(Form.MASKS, DType.BOOL, new int[] {0, 4, 5}, new byte[0])
                        .shape())
                .containsExactly(0, 4, 5);
        for (DType dtype : List.of(DType.FLOAT64, DType.BOOL, DType.INT64)) {
            Field none = numbers(Form.MASKS, dtype, new int[] {0}, new byte[0]);
            assertThat(none.dtype()).isEqualTo(DType.BOOL);
            assertThat(none.shape()).containsExactly(0, 0, 0);
        }
        assertThatThrownBy(() -> numbers(Form.MASKS, DType.UINT8, new int[] {2, 3}, new byte[6]))
                .hasMessageContaining("expected masks [number, height, width] as 'bbox', found uint8 [2, 3]");
        assertThatThrownBy(() -> numbers(Form.MASKS, DType.FLOAT32, new int[] {1, 1, 1}, new byte[4]))
                .hasMessageContaining("expected masks [number, height, width] as 'bbox', found float32 [1, 1, 1]");
        FieldSource source = new FieldSource("b", "bbox", As.RAGGED, new Annotation(Form.MASKS, false, null));
        assertThatThrownBy(() -> FieldValues.bytes(source, ImageVectors.file("mask/gray.png"), PLACE))
                .hasMessageContaining("found an image; a picture of ids needs as: {masks: ids}");
        assertThatThrownBy(() -> FieldValues.bytes(source, new byte[3], PLACE)).hasMessageContaining("found 3 bytes");
    }

    private static Field numbers(Form form, DType dtype, int[] shape, byte[] data) throws BadSampleException {
        FieldSource source = new FieldSource("b", "bbox", As.RAGGED, new Annotation(form, false, null));
        return FieldValues.numbers(source, dtype, shape, data, PLACE);
    }

    @Test
    void wholeNumbersBecomeFloat32Boxes() throws Exception {
        ByteBuffer stored = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        stored.putInt(-3).putInt(4).putInt(1 << 20).putInt(7);
        Field boxes = numbers(Form.XYWH, DType.INT32, new int[] {1, 4}, stored.array());
        assertThat(boxes.kind()).isEqualTo(FieldKind.RAGGED);
        assertThat(boxes.annotation()).isEqualTo(new Annotation(Form.XYWH, false, null));
        ByteBuffer floats = ByteBuffer.wrap(boxes.data()).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(new float[] {floats.getFloat(), floats.getFloat(), floats.getFloat(), floats.getFloat()})
                .containsExactly(-3, 4, 1 << 20, 7);
    }

    @Test
    void emptyListIsNoBoxes() throws Exception {
        Field boxes = numbers(Form.XYXY, DType.INT64, new int[] {0}, new byte[0]);
        assertThat(boxes.shape()).containsExactly(0, 4);
        assertThat(boxes.dtype()).isEqualTo(DType.FLOAT32);
        assertThat(boxes.annotation()).isNotNull();
        assertThat(numbers(Form.POINTS, DType.FLOAT64, new int[] {0}, new byte[0])
                        .shape())
                .containsExactly(0, 2);
    }

    @ParameterizedTest
    @CsvSource({
        "XYXY, 1, 5, 'boxes [number, 4]'",
        "CXCYWH, 2, 3, 'boxes [number, 4]'",
        "POINTS, 2, 4, 'points [..., 2] or [..., 3]'"
    })
    void otherShapesAreBadSamples(Form form, int rows, int columns, String expected) {
        assertThatThrownBy(() -> numbers(form, DType.FLOAT32, new int[] {rows, columns}, new byte[4 * rows * columns]))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining(
                        "expected " + expected + " as 'bbox', found float32 [" + rows + ", " + columns + "]");
    }

    @Test
    void textAndBytesAreNoBoxes() {
        FieldSource source = new FieldSource("b", "bbox", As.RAGGED, new Annotation(Form.XYXY, false, null));
        assertThatThrownBy(() -> FieldValues.text(source, new byte[3], PLACE))
                .hasMessageContaining("expected boxes [number, 4] as 'bbox', found text");
        assertThatThrownBy(() -> FieldValues.bytes(source, new byte[3], PLACE))
                .hasMessageContaining("expected boxes [number, 4] as 'bbox', found 3 bytes");
        assertThatThrownBy(() -> numbers(Form.XYXY, DType.FLOAT64, new int[] {1, 4}, new byte[] {
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -17,
                    127
                }))
                .hasMessageContaining("expected coordinates of the range of float32 as 'bbox', found 1.797");
    }
}
