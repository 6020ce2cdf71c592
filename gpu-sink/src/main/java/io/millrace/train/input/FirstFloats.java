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
 * How a column's numbers become floats on the host, together with as many of the first transforms as go in one pass: for
 * bytes of few channels, what {@link FloatFormula} has. Belongs to one thread.
 *
 * @param pixels null where the engine converts
 * @param left the transforms that are still to be done, in order
 */
record FirstFloats(@Nullable FloatPixels pixels, List<DeviceTransform> left) {
    static FirstFloats of(BatchSpec.Column column, List<DeviceTransform> transforms) {
        List<Integer> shape = column.shape();
        int channels = shape.isEmpty() ? 1 : shape.get(shape.size() - 1);
        if (column.dtype() != DType.UINT8 || channels < 1 || channels > FloatFormula.MOST_CHANNELS) {
            return new FirstFloats(null, List.copyOf(transforms));
        }
        FloatFormula formula = FloatFormula.plain(channels);
        int taken = 0;
        for (; taken < transforms.size(); taken++) {
            Optional<FloatFormula> longer = transforms.get(taken).behind(formula);
            if (longer.isEmpty()) {
                break;
            }
            formula = longer.get();
        }
        return new FirstFloats(new FloatPixels(formula), List.copyOf(transforms.subList(taken, transforms.size())));
    }

    /**
     * Converts all of {@code bytes}, if that is done here.
     *
     * @param target in the machine's byte order
     * @return whether it was
     */
    boolean convert(ByteBuffer bytes, ByteBuffer target) {
        if (pixels == null) {
            return false;
        }
        pixels.convert(bytes, target.asFloatBuffer());
        return true;
    }
}
