package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.option.OptionType;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Numbers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of boxes, points and values of boxes in {@code fields}, and the conversion of stored numbers to them. Stateless.
 *
 * <p>Tested by {@code AnnotatedFieldsTest}.
 */
final class AnnotationType {
    private static final String BOXES = "boxes";
    private static final String POINTS = "points";
    private static final String NORMALIZED = "normalized";
    private static final String EXPECTED =
            "in as of field '%s' one of auto, image, mask, tensor, ragged, text and points, or {boxes: xyxy, xywh or cxcywh,"
                    + " normalized: true or false}, or {points: xy, normalized: true or false}";

    private AnnotationType() {}

    /**
     * Returns the source of a field.
     *
     * @param as the value of the key {@code as}; null when it is absent
     * @param boxes the value of the key {@code labels_of}; null when it is absent
     */
    static FieldSource source(String name, String from, @Nullable Object as, @Nullable String boxes) {
        if (as instanceof Map<?, ?> map) {
            return new FieldSource(name, from, As.RAGGED, parse(name, map, boxes));
        }
        if (POINTS.equals(as)) {
            return new FieldSource(name, from, As.RAGGED, new Annotation(Form.POINTS, false, boxes));
        }
        As plain = as == null ? As.AUTO : choice(name, as);
        if (boxes == null) {
            return new FieldSource(name, from, plain);
        }
        if (plain != As.AUTO && plain != As.RAGGED) {
            throw OptionType.expected(
                    "beside labels_of of field '" + name + "' as: ragged, or as with points, or no as",
                    String.valueOf(as));
        }
        return new FieldSource(name, from, As.RAGGED, new Annotation(Form.VALUES, false, boxes));
    }

    private static As choice(String name, Object as) {
        for (As known : As.values()) {
            if (as instanceof String text && known.name().equalsIgnoreCase(text)) {
                return known;
            }
        }
        throw OptionType.expected(EXPECTED.formatted(name), as);
    }

    private static Annotation parse(String name, Map<?, ?> as, @Nullable String boxes) {
        Object format = as.get(BOXES);
        Object points = as.get(POINTS);
        Object normalized = as.containsKey(NORMALIZED) ? as.get(NORMALIZED) : false;
        boolean known = as.keySet().stream().allMatch(List.of(BOXES, POINTS, NORMALIZED)::contains)
                && (format == null) != (points == null)
                && normalized instanceof Boolean;
        Form form = null;
        if (known && points != null) {
            form = "xy".equals(points) ? Form.POINTS : null;
        } else if (known) {
            for (Form candidate : Form.values()) {
                if (candidate.isBoxes()
                        && candidate.name().toLowerCase(java.util.Locale.ROOT).equals(format)) {
                    form = candidate;
                }
            }
        }
        if (form == null) {
            throw OptionType.expected(EXPECTED.formatted(name), as);
        }
        if (form.isBoxes() && boxes != null) {
            throw OptionType.expected("no labels_of for field '" + name + "', which has boxes of its own", boxes);
        }
        return new Annotation(form, normalized == Boolean.TRUE, boxes);
    }

    /**
     * Returns a ragged field with the meaning that its source declares. Boxes and points become float32. A list without elements becomes
     * no boxes or no points.
     */
    static Field annotated(FieldSource source, Field numbers, ValuePlace place) throws BadSampleException {
        Annotation annotation = source.annotation();
        if (annotation == null) {
            return numbers;
        }
        Field found = annotation.isCoordinates() ? floats(source, annotation, numbers, place) : numbers;
        if (!annotation.suits(found.dtype(), found.shape())) {
            throw place.badSample("expected " + annotation.describe() + " as '" + source.from() + "', found "
                    + numbers.dtype().word() + " " + Arrays.toString(numbers.shape()));
        }
        return found.annotated(annotation);
    }

    private static Field floats(FieldSource source, Annotation annotation, Field numbers, ValuePlace place)
            throws BadSampleException {
        boolean none = numbers.bytes() == 0 && numbers.dtype() != DType.ENCODED;
        if (none && !annotation.suits(DType.FLOAT32, numbers.shape())) {
            int columns = annotation.form().isBoxes() ? 4 : 2;
            return Field.of(DType.FLOAT32, new int[] {0, columns}, new byte[0]).as(numbers.kind());
        }
        if (numbers.dtype() == DType.FLOAT32) {
            return numbers;
        }
        if (numbers.dtype() == DType.ENCODED || numbers.dtype() == DType.BOOL) {
            throw place.badSample("expected " + annotation.describe() + " as '" + source.from() + "', found "
                    + numbers.dtype().word() + " " + Arrays.toString(numbers.shape()));
        }
        int count = numbers.bytes() / numbers.dtype().bytes();
        byte[] floats = new byte[count * Float.BYTES];
        int unfit = Numbers.convert(
                little(numbers.data()), numbers.dtype(), little(floats), DType.FLOAT32, count, Numbers.Policy.CAST);
        if (unfit >= 0) {
            throw place.badSample("expected coordinates of the range of float32 as '" + source.from() + "', found "
                    + Numbers.describe(little(numbers.data()), numbers.dtype(), unfit));
        }
        return Field.of(DType.FLOAT32, numbers.shape(), floats).as(numbers.kind());
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
