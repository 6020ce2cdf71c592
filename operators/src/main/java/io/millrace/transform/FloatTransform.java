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
 * Makes 32-bit floats of a field and computes with them, with the results of the device's transform of the same name.
 * Bytes are converted and computed with in one pass. A picture stays one, so that the model gets it as such, though nothing
 * but these transforms takes pictures of floats. Serves one thread.
 */
final class FloatTransform implements Transform {
    static final Option<String> FIELD = Option.of("field", OptionType.TEXT, "The field whose numbers are meant.")
            .orElse(Sample.IMAGE);

    private final String transform;
    private final String name;
    private final Arithmetic arithmetic;
    private byte[] spare = {};
    private int channels = -1;
    private @Nullable FloatPixels pixels;

    /** What is computed. */
    interface Arithmetic {
        /**
         * Makes sure that it goes with so many channels.
         *
         * @throws IllegalArgumentException when it does not
         */
        void require(int channels);

        /** For bytes of up to {@link FloatFormula#MOST_CHANNELS} channels. */
        FloatFormula ofBytes(int channels);

        /** The same in place, for floats of any number of channels. */
        void ofFloats(FloatBuffer values, int channels);
    }

    /** For the transform of that name, for messages. */
    FloatTransform(String transform, OptionValues options, Arithmetic arithmetic) {
        this.transform = transform;
        this.name = options.get(FIELD);
        this.arithmetic = arithmetic;
    }

    /** These options and which field. */
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
            sample.put(name, made(field, floats));
            return;
        }
        Field numbers = cast(sample, field);
        arithmetic.ofFloats(floats(numbers.data()), last);
        sample.put(name, made(field, numbers.data()));
    }

    /** Refuses what is wrong with the pipeline, not with the sample. */
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
                    transform + " expected numbers that floats hold in '" + name + "', " + e.getMessage());
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

    private static Field made(Field like, byte[] floats) {
        return Field.of(DType.FLOAT32, like.shape(), floats).as(like.kind());
    }
}
