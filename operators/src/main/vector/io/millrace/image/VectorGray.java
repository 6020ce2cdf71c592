package io.millrace.image;

import static io.millrace.image.PixelVectors.FLOATS;
import static io.millrace.image.PixelVectors.LANES;
import static io.millrace.image.PixelVectors.PIXEL_BYTES;
import static io.millrace.image.PixelVectors.floats;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/** The gray of pixels with vectors, as {@link ColorKernel#graySum} defines it. Vectors reach beyond the pixels. */
final class VectorGray {
    private VectorGray() {}

    /** Returns the sum over {@code count} pixels that begin at byte {@code at} and have zeros after them. */
    static int sum(byte[] from, int at, int count) {
        IntVector sums = PixelVectors.ints(0);
        for (int i = 0, place = at; i < count; i += LANES, place += PIXEL_BYTES) {
            sums = sums.add(grayAt(from, place));
        }
        return sums.reduceLanes(VectorOperators.ADD);
    }

    /** Writes one byte for each pixel. */
    static void write(byte[] from, int at, int count, byte[] to) {
        for (int i = 0, place = at; i < count; i += LANES, place += PIXEL_BYTES) {
            VectorBlend.store(grayAt(from, place), to, i);
        }
    }

    /** Writes three bytes for each pixel. */
    static void writeThrice(byte[] from, int at, int count, byte[] to) {
        IntVector thrice = PixelVectors.ints(0x010101);
        for (int i = 0, place = at; i < count; i += LANES, place += PIXEL_BYTES) {
            PixelVectors.close(grayAt(from, place).mul(thrice), to, 3 * i);
        }
    }

    private static IntVector grayAt(byte[] from, int at) {
        IntVector pixels = PixelVectors.open(from, at);
        IntVector byteBits = PixelVectors.ints(255);
        FloatVector red = floats(pixels.and(byteBits));
        FloatVector green = floats(pixels.lanewise(VectorOperators.LSHR, 8).and(byteBits));
        FloatVector blue = floats(pixels.lanewise(VectorOperators.LSHR, 16).and(byteBits));
        FloatVector sum = green.fma(
                FloatVector.broadcast(FLOATS, ColorKernel.GREEN),
                red.mul(FloatVector.broadcast(FLOATS, ColorKernel.RED)));
        return PixelVectors.floor(blue.fma(FloatVector.broadcast(FLOATS, ColorKernel.BLUE), sum));
    }
}
