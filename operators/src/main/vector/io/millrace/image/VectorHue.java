package io.millrace.image;

import static io.millrace.image.PixelVectors.BYTES;
import static io.millrace.image.PixelVectors.CLOSE;
import static io.millrace.image.PixelVectors.FLOATS;
import static io.millrace.image.PixelVectors.INTS;
import static io.millrace.image.PixelVectors.LANES;
import static io.millrace.image.PixelVectors.OPEN;
import static io.millrace.image.PixelVectors.PIXEL_BYTES;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Turns of hues with vectors, by the formulas of {@link Hue}. There are six loops, because the compiler would not turn
 * longer loops into vector instructions. Belongs to one thread.
 *
 * <p>The middle value is clamped to the smallest and the largest value, and not to 0 to 255. The results differ only
 * for gray pixels, whose middle values come from a division by zero.
 */
final class VectorHue {
    private static final float UNIT = Hue.UNIT[1];

    /** The channels that hold the largest value, two bits for each sector from the fourth lowest on. */
    private static final int LARGEST = channels(Hue.LARGEST);

    private static final int MIDDLE = channels(Hue.MIDDLE);
    private static final int SMALLEST = channels(Hue.SMALLEST);

    /** The numbers of {@link Hue#FIRST}, three bits for each order from the lowest on. */
    private static final int FIRST = firsts();

    /** The orders for which {@link Hue#SIGN} is -1, with one bit for each order. */
    private static final int NEGATIVE = below(Hue.SIGN);

    /** The orders for which {@link Hue#SECOND} is -1, with one bit for each order. */
    private static final int LESS = below(Hue.SECOND);

    private static final int MINUS_ONE = Float.floatToRawIntBits(-1);
    private static final int SIGN_BIT = 31;

    /** The shift that turns the number of a byte into the number of its lowest bit. */
    private static final int BYTE_SHIFT = 3;

    /** A number that changes a difference of two values only if the difference is 0. */
    private static final float NEARLY_ZERO = 1e-30f;

    /**
     * The values of each pixel: the largest value from bit 0 on, the smallest from bit 8 on, the middle value from bit
     * 16 on, and the order of the channels from bit 24 on.
     */
    private final int[] opened;

    private final float[] saturations;

    /** The values that one loop passes to the next: ratios, then hues, then parts of a sector, then middle values. */
    private final float[] passed;

    private final int[] sectors;

    // The operands of the steps. Creating them for each block would produce garbage.
    private byte[] source = new byte[0];
    private byte[] result = source;
    private float turn;
    private int pixels;
    private final VectorStep open;
    private final VectorStep saturation;
    private final VectorStep hue;
    private final VectorStep sector;
    private final VectorStep middle;
    private final VectorStep close;

    /** Creates the turns for blocks of at most {@code most} pixels. */
    VectorHue(int most) {
        opened = new int[most + LANES];
        saturations = new float[opened.length];
        passed = new float[opened.length];
        sectors = new int[opened.length];
        open = at -> open(source, at, pixels, opened);
        saturation = start -> saturation(opened, pixels, saturations, passed);
        hue = start -> hue(opened, pixels, passed);
        sector = start -> sector(pixels, turn, sectors, passed);
        middle = start -> middle(opened, sectors, saturations, pixels, passed);
        close = start -> close(opened, sectors, passed, pixels, result);
    }

    private static int channels(int[] bySector) {
        int bits = 0;
        for (int sector = 0; sector < bySector.length; sector++) {
            bits |= bySector[sector] << (2 * sector + BYTE_SHIFT);
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

    /** Turns the hues of {@code count} pixels that begin at {@code at}. Vectors reach beyond them. */
    void turn(byte[] from, int at, int count, float by, byte[] to) {
        source = from;
        result = to;
        turn = by;
        pixels = count;
        VectorStep.run(open, at);
        VectorStep.run(saturation, 0);
        VectorStep.run(hue, 0);
        VectorStep.run(sector, 0);
        VectorStep.run(middle, 0);
        VectorStep.run(close, 0);
    }

    private static void open(byte[] from, int begin, int count, int[] opened) {
        IntVector one = IntVector.broadcast(INTS, 1);
        IntVector byteBits = IntVector.broadcast(INTS, 255);
        for (int i = 0, at = begin; i < count; i += LANES, at += PIXEL_BYTES) {
            IntVector packed =
                    ByteVector.fromArray(BYTES, from, at).rearrange(OPEN).reinterpretAsInts();
            IntVector red = packed.and(byteBits);
            IntVector green = packed.lanewise(VectorOperators.LSHR, 8).and(byteBits);
            IntVector blue = packed.lanewise(VectorOperators.LSHR, 16).and(byteBits);
            IntVector largest = red.max(green).max(blue);
            IntVector smallest = red.min(green).min(blue);
            IntVector middle = red.add(green).add(blue).sub(largest).sub(smallest);
            // The signs of differences are the results of the comparisons.
            IntVector order = green.sub(red.add(one))
                    .lanewise(VectorOperators.LSHR, SIGN_BIT)
                    .lanewise(VectorOperators.LSHL, 2)
                    .or(blue.sub(green.add(one))
                            .lanewise(VectorOperators.LSHR, SIGN_BIT)
                            .lanewise(VectorOperators.LSHL, 1))
                    .or(red.sub(blue).lanewise(VectorOperators.LSHR, SIGN_BIT));
            largest.or(smallest.lanewise(VectorOperators.LSHL, 8))
                    .or(middle.lanewise(VectorOperators.LSHL, 16))
                    .or(order.lanewise(VectorOperators.LSHL, 24))
                    .intoArray(opened, i);
        }
    }

    private static void saturation(int[] opened, int count, float[] saturations, float[] passed) {
        IntVector byteBits = IntVector.broadcast(INTS, 255);
        FloatVector unit = FloatVector.broadcast(FLOATS, UNIT);
        FloatVector nearlyZero = FloatVector.broadcast(FLOATS, NEARLY_ZERO);
        for (int i = 0; i < count; i += LANES) {
            IntVector packed = IntVector.fromArray(INTS, opened, i);
            FloatVector value =
                    ((FloatVector) packed.and(byteBits).convertShape(VectorOperators.I2F, FLOATS, 0)).mul(unit);
            IntVector small = packed.lanewise(VectorOperators.LSHR, 8).and(byteBits);
            FloatVector smallest = ((FloatVector) small.convertShape(VectorOperators.I2F, FLOATS, 0)).mul(unit);
            FloatVector range = value.sub(smallest);
            range.div(value).intoArray(saturations, i);
            IntVector between = packed.lanewise(VectorOperators.LSHR, 16).and(byteBits);
            FloatVector middle = ((FloatVector) between.convertShape(VectorOperators.I2F, FLOATS, 0)).mul(unit);
            value.sub(middle).div(range.add(nearlyZero)).intoArray(passed, i);
        }
    }

    private static void hue(int[] opened, int count, float[] passed) {
        IntVector negative = IntVector.broadcast(INTS, NEGATIVE);
        IntVector firsts = IntVector.broadcast(INTS, FIRST);
        IntVector lesses = IntVector.broadcast(INTS, LESS);
        IntVector seven = IntVector.broadcast(INTS, 7);
        IntVector minusOne = IntVector.broadcast(INTS, MINUS_ONE);
        FloatVector sixth = FloatVector.broadcast(FLOATS, Hue.SIXTH);
        FloatVector one = FloatVector.broadcast(FLOATS, 1);
        for (int i = 0; i < count; i += LANES) {
            IntVector order = IntVector.fromArray(INTS, opened, i).lanewise(VectorOperators.LSHR, 24);
            IntVector sign = negative.lanewise(VectorOperators.LSHR, order).lanewise(VectorOperators.LSHL, SIGN_BIT);
            FloatVector signed = FloatVector.fromArray(FLOATS, passed, i)
                    .reinterpretAsInts()
                    .lanewise(VectorOperators.XOR, sign)
                    .reinterpretAsFloats();
            IntVector first = firsts.lanewise(
                            VectorOperators.LSHR, order.add(order).add(order))
                    .and(seven);
            FloatVector second = lesses.lanewise(VectorOperators.LSHR, order)
                    .lanewise(VectorOperators.LSHL, SIGN_BIT)
                    .lanewise(VectorOperators.ASHR, SIGN_BIT)
                    .and(minusOne)
                    .reinterpretAsFloats();
            signed.add((FloatVector) first.convertShape(VectorOperators.I2F, FLOATS, 0))
                    .add(second)
                    .mul(sixth)
                    .add(one)
                    .intoArray(passed, i);
        }
    }

    private static void sector(int count, float turn, int[] sectors, float[] passed) {
        FloatVector one = FloatVector.broadcast(FLOATS, 1);
        FloatVector zero = FloatVector.broadcast(FLOATS, 0);
        FloatVector turns = FloatVector.broadcast(FLOATS, turn);
        FloatVector sixes = FloatVector.broadcast(FLOATS, 6);
        FloatVector whole = FloatVector.broadcast(FLOATS, PixelVectors.WHOLE);
        IntVector wholeBits = whole.reinterpretAsInts();
        for (int i = 0; i < count; i += LANES) {
            FloatVector hue = FloatVector.fromArray(FLOATS, passed, i);
            FloatVector turned = hue.blend(hue.sub(one), hue.compare(VectorOperators.GE, one))
                    .add(turns);
            FloatVector below = turned.blend(turned.sub(one), turned.compare(VectorOperators.GE, one));
            FloatVector six = below.blend(below.add(one), below.compare(VectorOperators.LT, zero))
                    .mul(sixes);
            // The same arithmetic as in PixelVectors.floor.
            FloatVector shifted = six.add(whole);
            IntVector above = six.sub(shifted.sub(whole)).reinterpretAsInts().lanewise(VectorOperators.ASHR, SIGN_BIT);
            IntVector sector = shifted.reinterpretAsInts().sub(wholeBits).add(above);
            sector.intoArray(sectors, i);
            six.sub((FloatVector) sector.convertShape(VectorOperators.I2F, FLOATS, 0))
                    .intoArray(passed, i);
        }
    }

    private static void middle(int[] opened, int[] sectors, float[] saturations, int count, float[] passed) {
        FloatVector one = FloatVector.broadcast(FLOATS, 1);
        FloatVector unit = FloatVector.broadcast(FLOATS, UNIT);
        FloatVector levels = FloatVector.broadcast(FLOATS, Hue.LEVELS);
        IntVector byteBits = IntVector.broadcast(INTS, 255);
        for (int i = 0; i < count; i += LANES) {
            FloatVector saturation = FloatVector.fromArray(FLOATS, saturations, i);
            FloatVector part = FloatVector.fromArray(FLOATS, passed, i).mul(saturation);
            IntVector odd = one.sub(part).reinterpretAsInts();
            IntVector even = part.add(one.sub(saturation)).reinterpretAsInts();
            IntVector isOdd = IntVector.fromArray(INTS, sectors, i)
                    .lanewise(VectorOperators.LSHL, SIGN_BIT)
                    .lanewise(VectorOperators.ASHR, SIGN_BIT);
            FloatVector mixed = even.lanewise(
                            VectorOperators.XOR,
                            even.lanewise(VectorOperators.XOR, odd).and(isOdd))
                    .reinterpretAsFloats();
            IntVector largest = IntVector.fromArray(INTS, opened, i).and(byteBits);
            ((FloatVector) largest.convertShape(VectorOperators.I2F, FLOATS, 0))
                    .mul(unit)
                    .mul(mixed)
                    .mul(levels)
                    .intoArray(passed, i);
        }
    }

    private static void close(int[] opened, int[] sectors, float[] passed, int count, byte[] to) {
        IntVector byteBits = IntVector.broadcast(INTS, 255);
        IntVector largests = IntVector.broadcast(INTS, LARGEST);
        IntVector middles = IntVector.broadcast(INTS, MIDDLE);
        IntVector smallests = IntVector.broadcast(INTS, SMALLEST);
        IntVector channels = IntVector.broadcast(INTS, 3 << BYTE_SHIFT);
        FloatVector whole = FloatVector.broadcast(FLOATS, PixelVectors.WHOLE);
        IntVector wholeBits = whole.reinterpretAsInts();
        for (int i = 0; i < count; i += LANES) {
            IntVector packed = IntVector.fromArray(INTS, opened, i);
            IntVector largest = packed.and(byteBits);
            IntVector smallest = packed.lanewise(VectorOperators.LSHR, 8).and(byteBits);
            FloatVector mixed = FloatVector.fromArray(FLOATS, passed, i);
            FloatVector shifted = mixed.add(whole);
            IntVector above =
                    mixed.sub(shifted.sub(whole)).reinterpretAsInts().lanewise(VectorOperators.ASHR, SIGN_BIT);
            IntVector middle = shifted.reinterpretAsInts()
                    .sub(wholeBits)
                    .add(above)
                    .max(smallest)
                    .min(largest);
            IntVector shift = IntVector.fromArray(INTS, sectors, i).lanewise(VectorOperators.LSHL, 1);
            largest.lanewise(
                            VectorOperators.LSHL,
                            largests.lanewise(VectorOperators.LSHR, shift).and(channels))
                    .or(middle.lanewise(
                            VectorOperators.LSHL,
                            middles.lanewise(VectorOperators.LSHR, shift).and(channels)))
                    .or(smallest.lanewise(
                            VectorOperators.LSHL,
                            smallests.lanewise(VectorOperators.LSHR, shift).and(channels)))
                    .reinterpretAsBytes()
                    .rearrange(CLOSE)
                    .intoArray(to, 3 * i);
        }
    }
}
