package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.FloatFormula;
import io.millrace.image.FloatPixels;
import io.millrace.image.FloatStep;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transform that converts a field to 32-bit floats and computes with them. Its results equal those of the device's
 * transform of the same name. One pass over the memory converts bytes and computes with them. A picture keeps its kind,
 * so that the model receives it as a picture, but no other transforms accept pictures of floats. Serves one thread.
 */
final class FloatTransform implements Transform {
    private final String transform;
    private final String name;
    private final FloatStep step;
    private byte[] spare = {};
    private int channels = -1;
    private @Nullable FloatPixels pixels;

    /**
     * Creates a transform.
     *
     * @param transform its name, which appears in messages
     * @param name the name of the field
     */
    FloatTransform(String transform, String name, FloatStep step) {
        this.transform = transform;
        this.name = name;
        this.step = step;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        Field field = NumberCast.numbers(sample, name, transform);
        FloatPixels numbers = pixels(field);
        if (field.dtype() == DType.UINT8) {
            byte[] floats = spare(field.data().length);
            numbers.convert(ByteBuffer.wrap(field.data()), floats(floats));
            sample.put(name, floatsLike(field, floats));
            return;
        }
        Field changed = cast(sample, field);
        numbers.change(floats(changed.data()));
        sample.put(name, floatsLike(field, changed.data()));
    }

    /** Returns the arithmetic for a field's channels. A wrong number of channels is a fault of the pipeline, not of the sample. */
    private FloatPixels pixels(Field field) {
        int[] shape = field.shape();
        int last = shape.length == 0 ? 1 : shape[shape.length - 1];
        FloatPixels known = pixels;
        if (known == null || last != channels) {
            step.obstacle(last).ifPresent(obstacle -> {
                throw new IllegalStateException(transform + ": " + obstacle + "; '" + name + "' is " + field);
            });
            known = new FloatPixels(FloatFormula.of(List.of(last), List.of(step)));
            pixels = known;
            channels = last;
        }
        return known;
    }

    private Field cast(Sample sample, Field field) throws BadSampleException {
        try {
            return NumberCast.cast(field, DType.FLOAT32);
        } catch (NumberCast.OutOfRangeException e) {
            throw new BadSampleException(
                    sample.key(),
                    -1,
                    transform + " expected numbers that fit in floats in '" + name + "', " + e.getMessage());
        }
    }

    private byte[] spare(int count) {
        int bytes = Math.multiplyExact(count, Float.BYTES);
        if (spare.length != bytes) {
            spare = new byte[bytes];
        }
        return spare;
    }

    private static FloatBuffer floats(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
    }

    private static Field floatsLike(Field like, byte[] floats) {
        return Field.of(DType.FLOAT32, like.shape(), floats).as(like.kind());
    }
}
