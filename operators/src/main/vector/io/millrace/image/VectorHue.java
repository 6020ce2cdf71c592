package io.millrace.image;

import static io.millrace.image.PixelVectors.FLOATS;
import static io.millrace.image.PixelVectors.INTS;
import static io.millrace.image.PixelVectors.LANES;
import static io.millrace.image.PixelVectors.PIXEL_BYTES;
import static io.millrace.image.PixelVectors.floats;
import static io.millrace.image.PixelVectors.ints;
import static io.millrace.image.PixelVectors.less;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Turns hues with vectors, by the formulas of {@link Hue}, in six loops as longer ones would not be compiled to vector
 * instructions. Serves one thread.
 *
 * <p>Middle values are clamped to the others in place of 0 to 255, which changes none but those of gray pixels: theirs
 * come from a division by zero.
 */
final class VectorHue {
    private static final float UNIT = Hue.UNIT[1];

    /** Which channel holds the largest, middle and smallest value, two bits for each sector from the lowest on. */
    private static final int LARGEST = channels(Hue.LARGEST);

    private static final int MIDDLE = channels(Hue.MIDDLE);
    private static final int SMALLEST = channels(Hue.SMALLEST);

    /** {@link Hue#FIRST}, three bits for each order from the lowest on. */
    private static final int FIRST = firsts();

    /** Orders where {@link Hue#SIGN} is -1, a bit for each. */
    private static final int NEGATIVE = below(Hue.SIGN);

    /** Orders where {@link Hue#SECOND} is -1, a bit for each. */
    private static final int LESS = below(Hue.SECOND);

    private static final int MINUS_ONE = Float.floatToRawIntBits(-1);
    private static final int SIGN_BIT = 31;

    /** Changes no difference of values but 0. */
    private static final float NEARLY_ZERO = 1e-30f;

    /** The largest value of each pixel, the smallest 8 bits up, the middle one 16, and the order of channels 24. */
    private final int[] opened;

    private final float[] saturations;

    /** Ratios, then hues, then parts of a sector, then middle values, as loop follows loop. */
    private final float[] passed;

    private final int[] sectors;

    /** For blocks of so many pixels at most. */
    VectorHue(int pixels) {
        opened = new int[pixels + LANES];
        saturations = new float[opened.length];
        passed = new float[opened.length];
        sectors = new int[opened.length];
    }

    private static int channels(int[] bySector) {
        int bits = 0;
        for (int sector = 0; sector < bySector.length; sector++) {
            bits |= bySector[sector] << (2 * sector);
        }
        return bits;
    }

    private static int firsts() {
        int bits = 0;
        for (int order = 0; order < Hue.FIRST.length; order++) {
            bits |= (int) Hue.FIRST[order] << (3 * order);
        }
        return bits;
    }

    private static int below(float[] byOrder) {
        int bits = 0;
        for (int order = 0; order < byOrder.length; order++) {
            bits |= byOrder[order] < 0 ? 1 << order : 0;
        }
        return bits;
    }

    /** Turns the hues of {@code count} pixels that begin at {@code at}; vectors reach beyond. */
    void turn(byte[] from, int at, int count, float turn, byte[] to) {
        VectorStep.run(start -> open(from, start, count), at);
        VectorStep.run(this::saturation, count);
        VectorStep.run(this::hue, count);
        VectorStep.run(pixels -> sector(pixels, turn), count);
        VectorStep.run(this::middle, count);
        VectorStep.run(pixels -> close(pixels, to), count);
    }

    void open(byte[] from, int at, int count) {
        for (int i = 0; i < count; i += LANES, at += PIXEL_BYTES) {
            IntVector pixels = PixelVectors.open(from, at);
            IntVector red = PixelVectors.red(pixels);
            IntVector green = PixelVectors.green(pixels);
            IntVector blue = PixelVectors.blue(pixels);
            IntVector largest = red.max(green).max(blue);
            IntVector smallest = red.min(green).min(blue);
            IntVector middle = red.add(green).add(blue).sub(largest).sub(smallest);
            IntVector order = less(green, red.add(ints(1))).and(ints(4));
            order = order.or(less(blue, green.add(ints(1))).and(ints(2)));
            order = order.or(less(red, blue).and(ints(1)));
            PixelVectors.packed(largest, smallest, middle)
                    .or(order.lanewise(VectorOperators.LSHL, 24))
                    .intoArray(opened, i);
        }
    }

    void saturation(int count) {
        for (int i = 0; i < count; i += LANES) {
            IntVector pixels = IntVector.fromArray(INTS, opened, i);
            FloatVector value = unit(PixelVectors.red(pixels));
            FloatVector range = value.sub(unit(PixelVectors.green(pixels)));
            range.div(value).intoArray(saturations, i);
            FloatVector divisor = range.add(floats(NEARLY_ZERO));
            value.sub(unit(PixelVectors.blue(pixels))).div(divisor).intoArray(passed, i);
        }
    }

    void hue(int count) {
        for (int i = 0; i < count; i += LANES) {
            IntVector order = IntVector.fromArray(INTS, opened, i).lanewise(VectorOperators.LSHR, 24);
            IntVector sign = ints(NEGATIVE).lanewise(VectorOperators.LSHR, order);
            IntVector ratio = FloatVector.fromArray(FLOATS, passed, i).reinterpretAsInts();
            IntVector signed = ratio.lanewise(VectorOperators.XOR, sign.lanewise(VectorOperators.LSHL, SIGN_BIT));
            IntVector threeOrders = order.add(order).add(order);
            IntVector first =
                    ints(FIRST).lanewise(VectorOperators.LSHR, threeOrders).and(ints(7));
            IntVector second = ints(LESS)
                    .lanewise(VectorOperators.LSHR, order)
                    .lanewise(VectorOperators.LSHL, SIGN_BIT)
                    .lanewise(VectorOperators.ASHR, SIGN_BIT)
                    .and(ints(MINUS_ONE));
            FloatVector sum = signed.reinterpretAsFloats().add(floats(first)).add(second.reinterpretAsFloats());
            sum.mul(floats(Hue.SIXTH)).add(floats(1)).intoArray(passed, i);
        }
    }

    private static FloatVector unit(IntVector values) {
        return floats(values).mul(floats(UNIT));
    }

    void sector(int count, float turn) {
        for (int i = 0; i < count; i += LANES) {
            FloatVector hue = PixelVectors.lessOne(FloatVector.fromArray(FLOATS, passed, i));
            FloatVector turned = PixelVectors.lessOne(hue.add(floats(turn)));
            FloatVector six = PixelVectors.addBelow(turned, 0, 1).mul(floats(6));
            IntVector sector = PixelVectors.floor(six);
            sector.intoArray(sectors, i);
            six.sub(floats(sector)).intoArray(passed, i);
        }
    }

    void middle(int count) {
        for (int i = 0; i < count; i += LANES) {
            FloatVector saturation = FloatVector.fromArray(FLOATS, saturations, i);
            FloatVector part = FloatVector.fromArray(FLOATS, passed, i).mul(saturation);
            IntVector odd = floats(1).sub(part).reinterpretAsInts();
            IntVector even = part.add(floats(1).sub(saturation)).reinterpretAsInts();
            IntVector isOdd = IntVector.fromArray(INTS, sectors, i)
                    .lanewise(VectorOperators.LSHL, SIGN_BIT)
                    .lanewise(VectorOperators.ASHR, SIGN_BIT);
            IntVector mixed = odd.and(isOdd).or(even.lanewise(VectorOperators.AND_NOT, isOdd));
            FloatVector value = unit(PixelVectors.red(IntVector.fromArray(INTS, opened, i)));
            value.mul(mixed.reinterpretAsFloats()).mul(floats(Hue.LEVELS)).intoArray(passed, i);
        }
    }

    void close(int count, byte[] to) {
        for (int i = 0; i < count; i += LANES) {
            IntVector pixels = IntVector.fromArray(INTS, opened, i);
            IntVector largest = PixelVectors.red(pixels);
            IntVector smallest = PixelVectors.green(pixels);
            IntVector middle = PixelVectors.floor(FloatVector.fromArray(FLOATS, passed, i));
            IntVector shift = IntVector.fromArray(INTS, sectors, i).lanewise(VectorOperators.LSHL, 1);
            IntVector turned = placed(largest, LARGEST, shift)
                    .or(placed(middle.max(smallest).min(largest), MIDDLE, shift))
                    .or(placed(smallest, SMALLEST, shift));
            PixelVectors.close(turned, to, 3 * i);
        }
    }

    /** The values in the channel that {@code channels} has {@code shift} bits up. */
    private static IntVector placed(IntVector values, int channels, IntVector shift) {
        IntVector channel = ints(channels).lanewise(VectorOperators.LSHR, shift).and(ints(3));
        return values.lanewise(VectorOperators.LSHL, channel.lanewise(VectorOperators.LSHL, 3));
    }
}
