package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.FloatFormula;
import io.millrace.image.FloatPixels;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transform that converts a field to 32-bit floats and computes with them. Its results equal those of the device's
 * transform of the same name. One pass over the memory converts bytes and computes with them. A picture keeps its kind,
 * so that the model receives it as a picture, but no other transforms accept pictures of floats. Serves one thread.
 */
final class FloatTransform implements Transform {
    static final Option<String> FIELD = Option.of("field", OptionType.TEXT, "The field whose numbers are converted.")
            .orElse(Sample.IMAGE);

    private final String transform;
    private final String name;
    private final Arithmetic arithmetic;
    private byte[] spare = {};
    private int channels = -1;
    private @Nullable FloatPixels pixels;

    /** A computation with floats. */
    interface Arithmetic {
        /**
         * Checks that the computation supports a number of channels.
         *
         * @throws IllegalArgumentException when it does not
         */
        void require(int channels);

        /** Returns the computation for bytes of up to {@link FloatFormula#MOST_CHANNELS} channels. */
        FloatFormula ofBytes(int channels);

        /** Computes in place, for floats of any number of channels. */
        void ofFloats(FloatBuffer values, int channels);
    }

    /** Creates the transform of a name, which appears in messages. */
    FloatTransform(String transform, OptionValues options, Arithmetic arithmetic) {
        this.transform = transform;
        this.name = options.get(FIELD);
        this.arithmetic = arithmetic;
    }

    /** Returns the given options and the option of the field. */
    static List<Option<?>> options(Option<?>... own) {
        List<Option<?>> options = new ArrayList<>(List.of(own));
        options.add(FIELD);
        return List.copyOf(options);
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        Field field = sample.field(name);
        if (field.dtype() == DType.ENCODED) {
            throw new IllegalStateException(transform + " works on numbers, but '" + name + "' of " + sample.key()
                    + " is still encoded: 'decode' is missing before " + transform);
        }
        int last = field.shape().length == 0 ? 1 : field.shape()[field.shape().length - 1];
        require(field, last);
        FloatPixels inOnePass = pixels;
        if (field.dtype() == DType.UINT8 && inOnePass != null) {
            byte[] floats = spare(field.data().length);
            inOnePass.convert(ByteBuffer.wrap(field.data()), floats(floats));
            sample.put(name, floatsLike(field, floats));
            return;
        }
        Field numbers = cast(sample, field);
        arithmetic.ofFloats(floats(numbers.data()), last);
        sample.put(name, floatsLike(field, numbers.data()));
    }

    /** Checks the number of channels: a wrong number is a fault of the pipeline, not of the sample. */
    private void require(Field field, int last) {
        if (last == channels) {
            return;
        }
        try {
            arithmetic.require(last);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(e.getMessage() + "; '" + name + "' is " + field, e);
        }
        boolean served = last >= 1 && last <= FloatFormula.MOST_CHANNELS;
        pixels = served ? new FloatPixels(arithmetic.ofBytes(last)) : null;
        channels = last;
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
