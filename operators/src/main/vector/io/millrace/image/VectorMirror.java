package io.millrace.image;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/** The exchange of left and right with vectors that hold whole pixels and a few bytes more, which stay unchanged. */
final class VectorMirror {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_256;
    private static final int LENGTH = BYTES.length();
    private static final VectorShuffle<Byte> GRAY = VectorShuffle.fromOp(BYTES, lane -> LENGTH - 1 - lane);

    /** The bytes of the ten pixels of three channels that fit into a vector. */
    private static final int TEN = 30;

    /** The shuffle for the left end, from the ten last pixels of a vector. */
    private static final VectorShuffle<Byte> TO_LEFT =
            VectorShuffle.fromOp(BYTES, lane -> lane < TEN ? LENGTH - 3 - lane / 3 * 3 + lane % 3 : lane);

    /** The shuffle for the right end, from the ten first pixels. */
    private static final VectorShuffle<Byte> TO_RIGHT = VectorShuffle.fromOp(
            BYTES, lane -> lane < LENGTH - TEN ? lane : TEN - 3 - (lane - 2) / 3 * 3 + (lane - 2) % 3);

    private static final VectorMask<Byte> BEHIND = VectorMask.fromLong(BYTES, -1L << TEN);
    private static final VectorMask<Byte> BEFORE = VectorMask.fromLong(BYTES, 3);

    private VectorMirror() {}

    /** Mirrors rows of one byte per pixel. */
    static void mirrorGray(byte[] pixels, int height, int width) {
        for (int row = 0; row < height; row++) {
            int left = row * width;
            int right = left + width - LENGTH;
            for (; left + LENGTH <= right; left += LENGTH, right -= LENGTH) {
                ByteVector first = ByteVector.fromArray(BYTES, pixels, left);
                ByteVector last = ByteVector.fromArray(BYTES, pixels, right);
                last.rearrange(GRAY).intoArray(pixels, left);
                first.rearrange(GRAY).intoArray(pixels, right);
            }
            for (int end = right + LENGTH - 1; left < end; left++, end--) {
                byte kept = pixels[left];
                pixels[left] = pixels[end];
                pixels[end] = kept;
            }
        }
    }

    /**
     * Mirrors rows of three bytes per pixel. The next vectors are read before the current vectors are written, because
     * they share bytes and the CPU would otherwise wait for the writes.
     */
    static void mirrorColor(byte[] pixels, int height, int width) {
        int rowBytes = 3 * width;
        for (int row = 0; row < height; row++) {
            int left = row * rowBytes;
            int right = left + rowBytes - LENGTH;
            if (left + LENGTH <= right) {
                ByteVector first = ByteVector.fromArray(BYTES, pixels, left);
                ByteVector last = ByteVector.fromArray(BYTES, pixels, right);
                while (left + LENGTH <= right) {
                    ByteVector nextFirst = ByteVector.fromArray(BYTES, pixels, left + TEN);
                    ByteVector nextLast = ByteVector.fromArray(BYTES, pixels, right - TEN);
                    last.rearrange(TO_LEFT).blend(first, BEHIND).intoArray(pixels, left);
                    first.rearrange(TO_RIGHT).blend(last, BEFORE).intoArray(pixels, right);
                    first = nextFirst;
                    last = nextLast;
                    left += TEN;
                    right -= TEN;
                }
            }
            mirrorRest(pixels, left, right + LENGTH - 3);
        }
    }

    private static void mirrorRest(byte[] pixels, int from, int to) {
        int left = from;
        int right = to;
        for (; left < right; left += 3, right -= 3) {
            for (int channel = 0; channel < 3; channel++) {
                byte kept = pixels[left + channel];
                pixels[left + channel] = pixels[right + channel];
                pixels[right + channel] = kept;
            }
        }
    }
}
