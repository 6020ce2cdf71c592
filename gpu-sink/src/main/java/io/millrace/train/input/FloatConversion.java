package io.millrace.train.input;

import io.millrace.batch.BatchSpec;
import io.millrace.image.FloatFormula;
import io.millrace.image.FloatPixels;
import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of a column's numbers to floats on the host. For bytes of few channels, the same pass also computes
 * the first transforms, as far as {@link FloatFormula} can express them. Belongs to one thread.
 *
 * @param pixels the conversion; null if the engine converts
 * @param left the transforms that remain, in order
 */
record FloatConversion(@Nullable FloatPixels pixels, List<FloatChange> left) {
    static FloatConversion of(BatchSpec.Column column, List<FloatChange> transforms) {
        List<Integer> shape = column.shape();
        int channels = shape.isEmpty() ? 1 : shape.get(shape.size() - 1);
        if (column.dtype() != DType.UINT8 || channels < 1 || channels > FloatFormula.MOST_CHANNELS) {
            return new FloatConversion(null, List.copyOf(transforms));
        }
        FloatFormula formula = FloatFormula.plain(channels);
        int taken = 0;
        for (; taken < transforms.size(); taken++) {
            Optional<FloatFormula> longer = transforms.get(taken).appendedTo(formula);
            if (longer.isEmpty()) {
                break;
            }
            formula = longer.get();
        }
        return new FloatConversion(new FloatPixels(formula), List.copyOf(transforms.subList(taken, transforms.size())));
    }

    /**
     * Converts all of {@code bytes}, if {@link #pixels} can.
     *
     * @param target floats in the machine's byte order
     * @return whether the bytes were converted
     */
    boolean convert(ByteBuffer bytes, ByteBuffer target) {
        if (pixels == null) {
            return false;
        }
        pixels.convert(bytes, target.asFloatBuffer());
        return true;
    }
}
