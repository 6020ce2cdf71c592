package io.millrace.transform;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Numbers;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The conversion of a field's numbers to another element type, by {@link Numbers.Policy#CAST}. Stateless. */
final class NumberCast {
    private NumberCast() {}

    /** The exception for a number that the other type cannot represent. */
    static final class OutOfRangeException extends Exception {
        private static final long serialVersionUID = 1;

        OutOfRangeException(String value, int index, DType to) {
            super("found " + value + " at index " + index + ", which " + to.word() + " cannot hold");
        }
    }

    /**
     * Returns the numbers of a field.
     *
     * @param transform the name of the transform that needs them, for messages
     * @throws IllegalStateException when the field is encoded or a text: the pipeline is wrong, not the sample
     */
    static Field numbers(Sample sample, String name, String transform) {
        Field field = sample.field(name);
        String problem = field.dtype() == DType.ENCODED
                ? "still encoded: 'decode' is missing before " + transform
                : field.kind() == FieldKind.TEXT
                        ? "a text: 'tokenize' makes numbers of it, and 'as: ragged' in the fields of the dataset reads its bytes"
                        : "";
        if (!problem.isEmpty()) {
            throw new IllegalStateException(
                    transform + " works on numbers, but '" + name + "' of " + sample.key() + " is " + problem);
        }
        return field;
    }

    /**
     * Converts the elements of a field and keeps its shape and kind.
     *
     * @throws OutOfRangeException for the first number that does not fit
     */
    static Field cast(Field field, DType to) throws OutOfRangeException {
        DType from = field.dtype();
        if (from == to) {
            return field;
        }
        int count = field.data().length / from.bytes();
        ByteBuffer in = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        byte[] result = new byte[Math.multiplyExact(count, to.bytes())];
        ByteBuffer out = ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN);
        if (from == DType.UINT8 && to == DType.FLOAT32) {
            for (int i = 0; i < count; i++) {
                out.putFloat(i << 2, field.data()[i] & 255);
            }
        } else {
            int unfit = Numbers.convert(in, from, out, to, count, Numbers.Policy.CAST);
            if (unfit >= 0) {
                throw new OutOfRangeException(Numbers.describe(in, from, unfit), unfit, to);
            }
        }
        return Field.of(to, field.shape(), result).as(field.kind()).annotated(field.annotation());
    }
}
