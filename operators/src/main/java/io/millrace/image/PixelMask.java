package io.millrace.image;

import io.millrace.sample.Field;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A mask with one bit per pixel, 64 in a word: bit {@code x & 63} of word {@code y * wordsPerRow + x / 64} is column x
 * of row y. Bits beyond the width are 0. Mutable; used by one thread.
 */
public final class PixelMask {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /**
     * The masks of the bytes that stay, for eight pixels of one channel. The index is the eight bits of the pixel mask.
     */
    private static final long[] KEPT_GRAY = kept(1);

    private static final long[] KEPT_COLOR = kept(3);

    private final int height;
    private final int width;
    private final int wordsPerRow;
    private final long[] words;

    /** Creates an empty mask. */
    public PixelMask(int height, int width) {
        this.height = height;
        this.width = width;
        this.wordsPerRow = (width + Long.SIZE - 1) >> 6;
        this.words = new long[Math.multiplyExact(height, wordsPerRow)];
    }

    public int height() {
        return height;
    }

    public int width() {
        return width;
    }

    public int wordsPerRow() {
        return wordsPerRow;
    }

    /** Sets 64 columns from {@code 64 * word} of a row. Bits beyond the width are dropped. */
    public void set(int row, int word, long bits) {
        int columns = width - (word << 6);
        words[row * wordsPerRow + word] = columns >= Long.SIZE ? bits : bits & ((1L << columns) - 1);
    }

    public boolean masked(int row, int column) {
        return ((words[row * wordsPerRow + (column >> 6)] >>> column) & 1) == 1;
    }

    /** Returns the number of masked pixels. */
    public long count() {
        long count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return count;
    }

    /** Returns this mask together with the pixels above, below, left and right of each masked pixel. */
    public PixelMask grown() {
        PixelMask grown = new PixelMask(height, width);
        for (int row = 0; row < height; row++) {
            for (int word = 0; word < wordsPerRow; word++) {
                int at = row * wordsPerRow + word;
                long bits = words[at] | (words[at] << 1) | (words[at] >>> 1);
                if (word > 0) {
                    bits |= words[at - 1] >>> (Long.SIZE - 1);
                }
                if (word + 1 < wordsPerRow) {
                    bits |= words[at + 1] << (Long.SIZE - 1);
                }
                if (row > 0) {
                    bits |= words[at - wordsPerRow];
                }
                if (row + 1 < height) {
                    bits |= words[at + wordsPerRow];
                }
                grown.set(row, word, bits);
            }
        }
        return grown;
    }

    /** Sets all channels of the masked pixels to 0, in the field's own array. */
    public void blacken(Field image) {
        int channels = image.channels();
        if (image.height() != height || image.width() != width || (channels != 1 && channels != 3)) {
            throw new IllegalArgumentException("a mask of " + height + "x" + width + " does not fit " + image
                    + ", or the image does not have 1 or 3 channels");
        }
        byte[] pixels = image.data();
        long[] kept = channels == 1 ? KEPT_GRAY : KEPT_COLOR;
        int whole = width & ~7;
        for (int row = 0; row < height; row++) {
            int at = row * width * channels;
            for (int column = 0; column < whole; column += 8) {
                int eight = (int) (words[row * wordsPerRow + (column >> 6)] >>> column) & 255;
                for (int part = 0; part < channels; part++, at += Long.BYTES) {
                    LONGS.set(pixels, at, (long) LONGS.get(pixels, at) & kept[eight * channels + part]);
                }
            }
            for (int column = whole; column < width; column++) {
                for (int channel = 0; channel < channels; channel++, at++) {
                    if (masked(row, column)) {
                        pixels[at] = 0;
                    }
                }
            }
        }
    }

    private static long[] kept(int channels) {
        long[] kept = new long[256 * channels];
        for (int eight = 0; eight < 256; eight++) {
            for (int at = 0; at < 8 * channels; at++) {
                if (((eight >>> (at / channels)) & 1) == 0) {
                    kept[eight * channels + (at >> 3)] |= 255L << ((at & 7) << 3);
                }
            }
        }
        return kept;
    }
}
