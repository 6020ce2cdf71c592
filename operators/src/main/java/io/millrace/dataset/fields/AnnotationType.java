package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Numbers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The conversion of stored numbers to boxes, points, masks of objects and values of boxes. Stateless.
 *
 * <p>Tested by {@code AnnotatedFieldsTest}.
 */
final class AnnotationType {
    private AnnotationType() {}

    /**
     * Returns a ragged field with the meaning that its source declares. Boxes and points become float32. A list without elements becomes
     * no boxes or no points.
     */
    static Field annotated(FieldSource source, Field numbers, ValuePlace place) throws BadSampleException {
        Annotation annotation = source.annotation();
        if (annotation == null) {
            return numbers;
        }
        Field found =
                switch (annotation.form()) {
                    case XYXY, XYWH, CXCYWH, POINTS -> floats(source, annotation, numbers, place);
                    case MASKS -> masks(numbers);
                    case VALUES -> numbers;
                };
        if (!annotation.suits(found.dtype(), found.shape())) {
            throw place.badSample("expected " + annotation.describe() + " as '" + source.from() + "', found "
                    + numbers.dtype().word() + " " + Arrays.toString(numbers.shape()));
        }
        return found.annotated(annotation);
    }

    /**
     * Returns masks of whole numbers or truth values as bool: all numbers but 0 are the object's pixels. A list without elements becomes no
     * masks. Other values stay as they are.
     */
    private static Field masks(Field numbers) {
        if (numbers.bytes() == 0 && numbers.shape().length < 3) {
            return Field.of(DType.BOOL, new int[] {0, 0, 0}, new byte[0]).as(numbers.kind());
        }
        DType dtype = numbers.dtype();
        if (dtype == DType.BOOL || dtype == DType.ENCODED || dtype.isFloat()) {
            return numbers;
        }
        ByteBuffer values = little(numbers.data());
        byte[] masks = new byte[numbers.bytes() / dtype.bytes()];
        for (int i = 0; i < masks.length; i++) {
            masks[i] = (byte) (Numbers.whole(values, dtype, i) == 0 ? 0 : 1);
        }
        return Field.of(DType.BOOL, numbers.shape(), masks).as(numbers.kind());
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
